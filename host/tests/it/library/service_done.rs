//! Concurrent calls: after `done` every call reports the end of the run, and starts, cancels, deletes and the shutdown
//! of the service do not disturb each other.

use std::task::Poll;
use std::time::Duration;

use od_host::Service;
use od_protocol::api::{
    GetHostInfoParams, GetRunParams, GetRunResultParams, ListRunsParams, RunState,
    SetActiveAgentParams, SummarizeUsageParams,
};
use od_protocol::{DoneStatus, ErrorKind};

use super::queue::limited;
use super::service_runs::{cancel, delete, events, input, service, start, task, wait_for_end};
use super::stage::{Stage, assert_numbered, block_on};

/// Checks that a call returns without waiting.
async fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let first = std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
    match first {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn all_calls_report_end_after_done() {
    // Its adapter must be killed, which takes two seconds.
    let stage = Stage::with("x", "never_exits");
    stage.add("y", "good");
    block_on(async {
        let service = service(&stage);
        let run_id = start(&service, task(&stage, "x", "go")).await.expect("a run").run_id;
        events(&service, &run_id).await;
        let get = || service.get_run(GetRunParams { run_id: run_id.clone() });
        let early = at_once(get()).await.expect("a run");
        assert_eq!((early.state, early.session_id.as_deref()), (RunState::Completed, Some("s1")));
        let status = at_once(service.host_info(GetHostInfoParams {})).await.expect("numbers");
        assert_eq!((status.running, status.queued), (0, 0));
        assert!(!at_once(service.cancel_run(cancel(&run_id))).await.expect("an answer").accepted);
        let late = service.input_run(input(&run_id, "hello")).await.expect_err("it has ended");
        assert_eq!(late.failure.as_str(), ErrorKind::RunUnknown.as_str());

        let list = service.list_runs(ListRunsParams::default()).await.expect("a page");
        assert_eq!(list.runs, std::slice::from_ref(&early));
        let usage = service.summarize_usage(SummarizeUsageParams::default()).await;
        assert_eq!(usage.expect("figures").total.runs, 1);
        let params = GetRunResultParams { run_id: run_id.clone(), wait_ms: Some(0) };
        let result = service.run_result(params).await.expect("it has ended");
        assert_eq!(result.verdict.status, DoneStatus::Completed);
        let active = SetActiveAgentParams { agent: "y".to_owned() };
        service.set_active_agent(active).await.expect("no run is active");

        wait_for_end(&service, &run_id).await;
        assert_eq!(get().await.expect("a run"), early, "the first answer stays valid");
    });
}

#[test]
fn ended_run_survives_concurrent_deletes() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        for _ in 0..10 {
            let run_id = start(&service, task(&stage, "x", "go")).await.expect("a run").run_id;
            events(&service, &run_id).await;
            let remove = || service.delete_run(delete(&run_id));
            let (one, two) = tokio::join!(remove(), remove());
            let deleted = [one, two].map(|answer| answer.expect("an answer").deleted);
            assert_eq!(deleted.iter().filter(|deleted| **deleted).count(), 1, "{deleted:?}");
            assert!(!stage.home().run(&run_id).exists());
        }
    });
}

#[test]
fn unreadable_run_can_be_deleted() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        let run_id = start(&service, task(&stage, "x", "go")).await.expect("a run").run_id;
        wait_for_end(&service, &run_id).await;
        std::fs::write(stage.home().run(&run_id).join("run.json"), "{").expect("a record");
        let damaged = service.get_run(GetRunParams { run_id: run_id.clone() }).await;
        assert_eq!(damaged.expect_err("it is damaged").failure.as_str(), "storage");
        assert!(service.delete_run(delete(&run_id)).await.expect("an answer").deleted);
    });
}

/// Starts, cancels, reads and deletes a run while the service shuts down.
async fn whole_life(service: Service, params: od_protocol::api::StartRunParams) -> Option<String> {
    let run = match start(&service, params).await {
        Ok(run) => run,
        Err(refused) => {
            assert_eq!(refused.failure.as_str(), ErrorKind::ShuttingDown.as_str());
            return None;
        }
    };
    let (_, events) =
        tokio::join!(service.cancel_run(cancel(&run.run_id)), events(&service, &run.run_id));
    assert_numbered(&events);
    let removed = service.delete_run(delete(&run.run_id)).await.expect("it has ended");
    assert!(removed.deleted);
    Some(run.run_id)
}

#[test]
fn concurrent_starts_cancels_deletes_leave_nothing() {
    let stage = limited("[limits]\nmaxRuns = 3\n");
    block_on(async {
        let service = service(&stage);
        let mut lives = tokio::task::JoinSet::new();
        for number in 0..12 {
            if number == 8 {
                let service = service.clone();
                tokio::spawn(async move { service.drain(Duration::ZERO).await });
            }
            lives.spawn(whole_life(service.clone(), task(&stage, "x", "go")));
            tokio::task::yield_now().await;
        }
        let ended = lives.join_all().await;
        assert!(ended.iter().any(Option::is_some), "some runs were accepted");
        service.drain(Duration::ZERO).await;
        assert!(service.host().live_runs().is_empty());
        let list = service.list_runs(ListRunsParams::default()).await.expect("a page");
        assert_eq!(list.runs, []);
        assert_eq!(std::fs::read_dir(stage.home().runs()).expect("a folder").count(), 0);
    });
}
