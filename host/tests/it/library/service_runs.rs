//! `runs/*` through the library's API, against real adapter processes.

use std::time::Duration;

use od_host::service::{Client, Roots};
use od_host::{HostError, Service, ServiceOptions};
use od_protocol::api::{
    CancelRunParams, DeleteRunParams, GetRunParams, InputRunParams, ListRunsParams,
    PATH_NOT_ALLOWED, RUN_ACTIVE, RunState, StartRunParams, StartRunResult,
};
use od_protocol::{ErrorKind, RunEventParams};

use super::control::other_host;
use super::stage::{Stage, assert_whole, block_on, types};

pub(crate) fn service(stage: &Stage) -> Service {
    service_on(stage, stage.host())
}

pub(crate) fn service_on(stage: &Stage, host: od_host::Host) -> Service {
    Service::new(host, options(stage))
}

/// A service that cancels its runs at once when it drains.
pub(crate) fn options(stage: &Stage) -> ServiceOptions {
    ServiceOptions {
        roots: Roots::new([stage.work()]).expect("a root"),
        max_request_bytes: 1 << 20,
        max_calls_per_second: 100,
        drain: Duration::ZERO,
    }
}

pub(crate) fn task(stage: &Stage, agent: &str, prompt: &str) -> StartRunParams {
    let mut params = StartRunParams { agent: Some(agent.to_owned()), ..StartRunParams::default() };
    params.task.cwd = stage.work().display().to_string();
    params.task.prompt.text = prompt.to_owned();
    params
}

pub(crate) async fn start(
    service: &Service,
    params: StartRunParams,
) -> Result<StartRunResult, HostError> {
    service.start_run(&Client("test".to_owned()), params).await
}

/// Reads all events of a run.
pub(crate) async fn events(service: &Service, run_id: &str) -> Vec<RunEventParams> {
    let mut reader = service.events(run_id, 0).expect("a reader");
    let mut events = Vec::new();
    while let Some(event) = reader.next().await.expect("an event") {
        events.push(event.parse().expect("a whole event"));
    }
    events
}

pub(crate) async fn state(service: &Service, run_id: &str) -> RunState {
    let params = GetRunParams { run_id: run_id.to_owned() };
    service.get_run(params).await.expect("a run").state
}

/// Waits until a run has ended and its adapter has exited.
pub(crate) async fn wait_for_end(service: &Service, run_id: &str) {
    if let Some(run) = service.host().live_run(run_id) {
        run.wait().await;
    }
}

/// Reads a run until an event of this type.
pub(crate) async fn wait_for(service: &Service, run_id: &str, type_name: &str) -> RunEventParams {
    let mut reader = service.events(run_id, 0).expect("a reader");
    while let Some(event) = reader.next().await.expect("an event") {
        if event.type_name == type_name {
            return event.parse().expect("a whole event");
        }
    }
    panic!("no {type_name} in run {run_id}");
}

pub(crate) fn cancel(run_id: &str) -> CancelRunParams {
    CancelRunParams { run_id: run_id.to_owned(), grace_ms: None }
}

pub(crate) fn input(run_id: &str, text: &str) -> InputRunParams {
    InputRunParams { run_id: run_id.to_owned(), text: text.to_owned(), expected_turn: None }
}

pub(crate) fn delete(run_id: &str) -> DeleteRunParams {
    DeleteRunParams { run_id: run_id.to_owned() }
}

#[test]
fn run_is_started_followed_and_deleted() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        let run = start(&service, task(&stage, "x", "go")).await.expect("a run");
        assert_eq!((run.agent.as_str(), run.state), ("x", RunState::Running));
        let events = events(&service, &run.run_id).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "session_started", "text_delta", "done"]);
        wait_for_end(&service, &run.run_id).await;

        let info = service.get_run(GetRunParams { run_id: run.run_id.clone() }).await;
        let info = info.expect("a run");
        assert_eq!((info.state, info.session_id.as_deref()), (RunState::Completed, Some("s1")));
        let late = service.cancel_run(cancel(&run.run_id)).await.expect("an answer");
        assert!(!late.accepted);
        assert!(service.delete_run(delete(&run.run_id)).await.expect("an answer").deleted);
        assert!(!service.delete_run(delete(&run.run_id)).await.expect("an answer").deleted);
        let gone = service.events(&run.run_id, 0).expect_err("it has exited");
        assert_eq!(gone.failure.as_str(), ErrorKind::RunUnknown.as_str());
    });
}

#[test]
fn active_run_takes_input_and_refuses_delete() {
    let stage = Stage::with("x", "waits");
    block_on(async {
        let service = service(&stage);
        let run = start(&service, task(&stage, "x", "go")).await.expect("a run");
        wait_for(&service, &run.run_id, "text_delta").await;
        let active = service.delete_run(delete(&run.run_id)).await.expect_err("it is active");
        assert_eq!(active.failure.as_str(), RUN_ACTIVE);
        service.input_run(input(&run.run_id, "hello")).await.expect("accepted");
        assert!(service.cancel_run(cancel(&run.run_id)).await.expect("an answer").accepted);
        let events = events(&service, &run.run_id).await;
        assert_eq!(types(&events), ["run_started", "text_delta", "user_message", "done"]);
        wait_for_end(&service, &run.run_id).await;
        assert_eq!(state(&service, &run.run_id).await, RunState::Cancelled);
    });
}

#[test]
fn run_of_other_process_takes_input_and_cancel() {
    let stage = Stage::with("x", "waits");
    let (mut owner, run_id) = other_host(&stage, &[]);
    block_on(async {
        let service = service(&stage);
        assert_eq!(state(&service, &run_id).await, RunState::Running);
        service.input_run(input(&run_id, "hello")).await.expect("accepted");
        assert!(service.cancel_run(cancel(&run_id)).await.expect("an answer").accepted);
        let events = events(&service, &run_id).await;
        assert_eq!(types(&events), ["run_started", "text_delta", "user_message", "done"]);
    });
    assert_eq!(owner.wait().expect("an end").code(), Some(130));
}

#[test]
fn run_list_is_paged_and_filtered() {
    let stage = Stage::with("x", "good");
    stage.add("y", "good");
    block_on(async {
        let service = service(&stage);
        let mut ids = Vec::new();
        for agent in ["x", "y", "x", "y", "x"] {
            let run = start(&service, task(&stage, agent, "go")).await.expect("a run");
            wait_for_end(&service, &run.run_id).await;
            ids.insert(0, run.run_id);
        }
        let page = |before: Option<String>, agent: Option<&str>| ListRunsParams {
            limit: Some(2),
            before,
            agent: agent.map(str::to_owned),
            state: None,
        };
        let mut seen = Vec::new();
        let mut next = None;
        loop {
            let result = service.list_runs(page(next, None)).await.expect("a page");
            seen.extend(result.runs.into_iter().map(|info| info.run_id));
            next = result.next;
            if next.is_none() {
                break;
            }
        }
        assert_eq!(seen, ids, "the newest first, each once");
        let of_y = service.list_runs(page(None, Some("y"))).await.expect("a page");
        let of_y_ids: Vec<String> = of_y.runs.into_iter().map(|info| info.run_id).collect();
        assert_eq!((of_y_ids, of_y.next), (vec![ids[1].clone(), ids[3].clone()], None));
        let failed = ListRunsParams { state: Some(RunState::Failed), ..ListRunsParams::default() };
        assert_eq!(service.list_runs(failed).await.expect("a page").runs, []);
    });
}

#[test]
fn path_outside_roots_creates_no_run() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        let mut params = task(&stage, "x", "go");
        params.task.cwd = stage.adapters().display().to_string();
        let error = start(&service, params).await.expect_err("it is outside");
        assert_eq!(error.failure.as_str(), PATH_NOT_ALLOWED);
        let hint = error.hint.unwrap_or_default();
        assert!(hint.contains("work"), "{hint}");
        let runs = service.list_runs(ListRunsParams::default()).await.expect("a page").runs;
        assert_eq!(runs, []);
    });
}

#[test]
fn methods_are_dispatched_and_errors_have_kinds() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        let client = Client("test".to_owned());
        let call = async |method: &str, params: serde_json::Value| {
            let params = serde_json::value::to_raw_value(&params).expect("JSON");
            let answer = service.call(&client, method, Some(&params)).await;
            answer.map(|answer| answer.get().to_owned()).map_err(|error| (error.code, error.kind()))
        };
        let cwd = stage.work();
        let task = serde_json::json!({"cwd": cwd, "prompt": {"text": "go"}});
        let started = call("runs/start", serde_json::json!({"agent": "x", "task": task})).await;
        let started: StartRunResult =
            serde_json::from_str(&started.expect("a run")).expect("a result");
        wait_for_end(&service, &started.run_id).await;
        let info = call("runs/get", serde_json::json!({"runId": started.run_id})).await;
        assert!(info.is_ok_and(|info| info.contains("\"state\":\"completed\"")));

        let kind = |result: Result<String, (i32, ErrorKind)>| {
            let (code, kind) = result.expect_err("an error");
            (code, kind.as_str().to_owned())
        };
        let unknown = call("runs/get", serde_json::json!({"runId": "../../etc"})).await;
        assert_eq!(kind(unknown), (1040, "run_unknown".to_owned()));
        let elsewhere = serde_json::json!({"cwd": "/", "prompt": {"text": "go"}});
        let elsewhere = call("runs/start", serde_json::json!({"task": elsewhere})).await;
        assert_eq!(kind(elsewhere), (2014, PATH_NOT_ALLOWED.to_owned()));
        let malformed = call("runs/start", serde_json::json!({"task": 5})).await;
        assert_eq!(kind(malformed), (-32602, "invalid_params".to_owned()));
        let nowhere = call("runs/nothing", serde_json::json!({})).await;
        assert_eq!(kind(nowhere), (-32601, "method_not_found".to_owned()));
    });
}
