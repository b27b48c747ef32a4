//! What follows a failed attempt: the same agent again, another agent, or the end; always in one journal
//! with one end.

use std::time::Duration;

use od_host::journal::RunStatus;
use od_host::{Failure, Host, RunRequest};
use od_protocol::Handover;
use od_protocol::api::{FallbackPolicy, RetryPolicy};
use od_protocol::{
    AgentSwitched, Done, DoneStatus, ErrorEvent, ErrorKind, Event, RunEventParams, ToolStatus,
};
use serde_json::Value;

use super::stage::{Stage, assert_whole, block_on, collect, types};

/// Up to three attempts with a minimal pause.
pub(super) fn quick_retry() -> Option<RetryPolicy> {
    Some(RetryPolicy { max_attempts: Some(3), backoff_ms: Some(1), ..RetryPolicy::default() })
}

pub(super) fn fall_back_to(agents: &[&str]) -> Option<FallbackPolicy> {
    let agents = agents.iter().map(|agent| (*agent).to_owned()).collect();
    Some(FallbackPolicy { agents, ..FallbackPolicy::default() })
}

/// Runs a request to its end and checks that the journal is complete.
pub(super) async fn run(host: &Host, request: RunRequest) -> (Vec<RunEventParams>, Done) {
    let run = host.start(request).await.expect("a run");
    let (events, done) = collect(&run).await;
    assert_whole(&events);
    if done.status == DoneStatus::Completed {
        assert!(errors(&events).iter().all(|error| !error.fatal), "no fatal error");
    }
    (events, done)
}

pub(super) fn errors(events: &[RunEventParams]) -> Vec<&ErrorEvent> {
    let errors = events.iter().filter_map(|params| match &params.event {
        Event::Error(error) => Some(error),
        _ => None,
    });
    errors.collect()
}

fn switch(events: &[RunEventParams]) -> &AgentSwitched {
    let switches = events.iter().find_map(|params| match &params.event {
        Event::AgentSwitched(switch) => Some(switch),
        _ => None,
    });
    switches.unwrap_or_else(|| panic!("no switch: {:?}", types(events)))
}

pub(super) fn notices(events: &[RunEventParams]) -> Vec<(&str, &str)> {
    let notices = events.iter().filter_map(|params| match &params.event {
        Event::Notice(notice) => Some((notice.code.as_str(), notice.text.as_str())),
        _ => None,
    });
    notices.collect()
}

/// The parameters that the last attempt received.
pub(super) fn last_params(events: &[RunEventParams]) -> Value {
    let last = events.iter().rev().find_map(|params| match &params.event {
        Event::TextDelta(delta) => serde_json::from_str(&delta.text).ok(),
        _ => None,
    });
    last.unwrap_or_else(|| panic!("no attempt received a prompt: {:?}", types(events)))
}

#[test]
fn rate_limit_is_retried_after_reset() {
    let stage = Stage::with("x", "limited 2000");
    block_on(async {
        let host = stage.host();
        let request = RunRequest { retry: quick_retry(), ..stage.request("x", "the task") };
        let (events, done) = run(&host, request).await;
        assert_eq!(
            types(&events)[6..],
            [
                "file_change",
                "usage",
                "rate_limited",
                "error",
                "turn_ended",
                "message_stopped",
                "retry",
                "status",
                "run_started",
                "message_started",
                "text_delta",
                "message_stopped",
                "file_change",
                "usage",
                "done"
            ][..],
        );
        let Some(Event::Retry(retry)) = events.iter().map(|params| &params.event).nth(12) else {
            panic!("no retry");
        };
        assert_eq!((retry.attempt, retry.max_attempts), (1, Some(2)));
        assert!(retry.delay_ms.is_some_and(|delay| delay <= 2000), "{retry:?}");
        assert!(retry.reason.starts_with("rate_limited: it fails"), "{retry:?}");
        assert!(
            retry.reason.contains("10 tokens for 0.5"),
            "the reason includes the cost: {retry:?}"
        );

        // `done` describes the whole run.
        let usage = done.totals.usage.as_ref().expect("a usage");
        assert_eq!((usage.total_tokens, done.totals.cost_usd), (17, Some(0.75)));
        assert_eq!((done.totals.tool_calls, done.totals.files_changed), (1, 1));
        assert_eq!(done.status, DoneStatus::Completed);
        let record = host.find_run("last").expect("a record");
        assert_eq!((record.attempts, record.status), (2, RunStatus::Completed));

        // An agent that cannot resume gets a transcript.
        let last_params = last_params(&events);
        assert_eq!(last_params["session"]["mode"], "new");
        let prompt = last_params["prompt"].as_str().expect("a prompt");
        assert!(prompt.ends_with("\n\nthe task"), "{prompt}");
        for known in ["x said: I begin", "edit the page (ok)", "edit /page"] {
            assert!(prompt.contains(known), "{prompt}");
        }
    });
}

#[test]
fn retry_resumes_session_of_agent() {
    let stage = Stage::with("x", "limited 0 resumable");
    block_on(async {
        let request = RunRequest { retry: quick_retry(), ..stage.request("x", "the task") };
        let (events, _) = run(&stage.host(), request).await;
        let last_params = last_params(&events);
        assert_eq!(last_params["session"], serde_json::json!({"mode": "resume", "id": "first"}));
        let prompt = last_params["prompt"].as_str().expect("a prompt");
        assert!(prompt.ends_with("\n\nthe task") && !prompt.contains("I begin"), "{prompt}");
    });
}

#[test]
fn crash_closes_open_items_before_retry() {
    let stage = Stage::with("x", "breaks");
    block_on(async {
        let request = RunRequest { retry: quick_retry(), ..stage.request("x", "the task") };
        let (events, done) = run(&stage.host(), request).await;
        let types = types(&events);
        let retry = types.iter().position(|name| *name == "retry").expect("a retry");
        assert_eq!(
            types[retry - 5..retry],
            ["message_stopped", "approval_resolved", "thinking_stopped", "tool_result", "error"]
        );
        let Event::ToolResult(result) = &events[retry - 2].event else { panic!("no result") };
        assert_eq!((result.tool_call_id.as_str(), result.status), ("open", ToolStatus::Unknown));
        assert_eq!(errors(&events)[0].kind, ErrorKind::PluginCrashed);
        assert_eq!((done.status, done.totals.tool_calls), (DoneStatus::Completed, 2));
    });
}

#[test]
fn last_failure_ends_run_after_max_attempts() {
    let stage = Stage::with("x", "fails rate_limited");
    block_on(async {
        let host = stage.host();
        let request = RunRequest { retry: quick_retry(), ..stage.request("x", "go") };
        let (events, done) = run(&host, request).await;
        let fatal: Vec<bool> = errors(&events).iter().map(|error| error.fatal).collect();
        assert_eq!(fatal, [false, false, true]);
        assert_eq!(types(&events).iter().filter(|name| **name == "retry").count(), 2);
        assert_eq!(
            (done.status, done.error_kind),
            (DoneStatus::Failed, Some(ErrorKind::RateLimited))
        );
        assert_eq!(done.totals.cost_usd, Some(0.75), "every attempt has its cost");
        assert_eq!(host.find_run("last").expect("a record").attempts, 3);
    });
}

#[test]
fn switch_reason_includes_buffered_usage() {
    let stage = Stage::with("x", "fails rate_limited late");
    stage.add("y", "repeats");
    block_on(async {
        let request = RunRequest { fallback: fall_back_to(&["y"]), ..stage.request("x", "go") };
        let (events, done) = run(&stage.host(), request).await;
        let reason = &switch(&events).reason;
        assert!(reason.contains("; used 5 tokens for 0.25"), "{reason}");
        assert_eq!(done.totals.usage.map(|usage| usage.total_tokens), Some(12));
    });
}

#[test]
fn fallback_agent_gets_transcript() {
    let stage = Stage::with("x", "limited 3600000");
    stage.add("absent", "not_installed");
    stage.add("y", "repeats");
    block_on(async {
        let host = stage.host();
        let mut request = RunRequest {
            fallback: fall_back_to(&["unknown", "absent", "y"]),
            ..stage.request("x", "the task")
        };
        request.params.model = Some("big".to_owned());
        let (events, done) = run(&host, request).await;
        assert_eq!(done.status, DoneStatus::Completed);
        let switch = switch(&events);
        assert_eq!((switch.from_agent.as_str(), switch.to_agent.as_str()), ("x", "y"));
        assert_eq!((switch.attempt, &switch.error_kind), (2, &ErrorKind::RateLimited));
        assert!(switch.reason.contains("10 tokens"), "{switch:?}");
        assert_eq!(switch.handover, Handover::Transcript);

        let last_params = last_params(&events);
        let prompt = last_params["prompt"].as_str().expect("a prompt");
        assert!(prompt.contains("x said: I begin") && prompt.ends_with("the task"), "{prompt}");
        assert_eq!(prompt.len() as u64, switch.handover_bytes + 8);
        assert_eq!(last_params["model"], Value::Null);
        let [unknown, absent, model] = &notices(&events)[..] else {
            panic!("{:?}", notices(&events));
        };
        assert_eq!((unknown.0, absent.0), ("fallback_skipped", "fallback_skipped"));
        assert!(unknown.1.contains("unknown") && absent.1.contains("absent"));
        assert!(model.0 == "fallback_model_dropped" && model.1.contains("big"), "{model:?}");
        let record = host.find_run("last").expect("a record");
        assert_eq!((record.agent.as_str(), record.attempts), ("y", 2));
        assert!(record.adapter_path.ends_with("od-adapter-y"));
    });
}

#[test]
fn fallback_agent_gets_prompt_only_on_request() {
    let stage = Stage::with("x", "breaks");
    stage.add("y", "repeats");
    block_on(async {
        let mut request =
            RunRequest { fallback: fall_back_to(&["y"]), ..stage.request("x", "the task") };
        request.fallback.as_mut().expect("a policy").handover = Some(Handover::Prompt);
        let (events, _) = run(&stage.host(), request).await;
        assert_eq!(last_params(&events)["prompt"], "the task");
        assert_eq!(switch(&events).handover_bytes, 0);
    });
}

#[test]
fn failure_stands_without_usable_fallback() {
    let stage = Stage::with("x", "fails cli_crashed");
    block_on(async {
        let request =
            RunRequest { fallback: fall_back_to(&["unknown"]), ..stage.request("x", "go") };
        let (events, done) = run(&stage.host(), request).await;
        assert_eq!(types(&events), ["run_started", "usage", "error", "notice", "done"]);
        assert!(errors(&events)[0].fatal);
        assert_eq!(done.error_kind, Some(ErrorKind::CliCrashed));
    });
}

#[test]
fn refused_start_counts_as_first_attempt() {
    let stage = Stage::with("x", "refuses_run");
    stage.add("dead", "dies_at_start");
    stage.add("y", "repeats");
    block_on(async {
        let host = stage.host();
        let request =
            RunRequest { fallback: fall_back_to(&["dead", "y"]), ..stage.request("x", "the task") };
        let (events, done) = run(&host, request).await;
        assert_eq!(done.status, DoneStatus::Completed);
        let kinds: Vec<&str> = errors(&events).iter().map(|error| error.kind.as_str()).collect();
        assert_eq!(kinds[0], "auth_missing");
        assert!(switch(&events).reason.ends_with("; used nothing"), "{:?}", switch(&events));
        assert_eq!(last_params(&events)["prompt"], "the task");

        // A failure that no policy covers refuses the start and leaves no trace.
        let mut request = RunRequest { retry: quick_retry(), ..stage.request("x", "the task") };
        request.params.run_id = "gone".to_owned();
        let error = host.start(request).await.expect_err("refused");
        assert_eq!(error.failure, Failure::Protocol(ErrorKind::AuthMissing));
        assert!(!stage.home().run("gone").exists());
    });
}

#[test]
fn late_reset_fails_run_with_reset_time() {
    let stage = Stage::with("x", "limited 3600000");
    block_on(async {
        let host = stage.host();
        let mut request = RunRequest { retry: quick_retry(), ..stage.request("x", "go") };
        request.retry.as_mut().expect("a policy").max_wait_ms = Some(1000);
        let (events, done) = run(&host, request).await;
        assert_eq!(done.error_kind, Some(ErrorKind::RateLimited));
        let [error] = errors(&events)[..] else { panic!("{:?}", types(&events)) };
        assert!(error.fatal && error.message.contains("the limit resets at 2"), "{error:?}");
    });

    let stage = Stage::with("x", "limited 3600000");
    block_on(async {
        let mut request = RunRequest { retry: quick_retry(), ..stage.request("x", "go") };
        request.params.timeouts.total_ms = Some(60_000);
        let (_, done) = run(&stage.host(), request).await;
        assert_eq!(done.status, DoneStatus::Failed, "the limit of the run ends before the reset");
    });
}

#[test]
fn cancel_during_retry_wait_ends_run() {
    let stage = Stage::with("x", "limited 1800000");
    block_on(async {
        let host = stage.host();
        let request = RunRequest { retry: quick_retry(), ..stage.request("x", "go") };
        let run = host.start(request).await.expect("a run");
        let mut reader = run.events(0).expect("a reader");
        while reader.next().await.expect("an event").expect("it waits").type_name != "status" {}
        let refused = run.input("hello".to_owned(), None).await.expect_err("no agent works on it");
        assert_eq!(refused.kind().as_str(), "_od.run_waiting");
        assert!(run.cancel(Duration::from_secs(2)));
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!((done.status, done.error_kind), (DoneStatus::Cancelled, None));
        assert_eq!(done.totals.usage.expect("a usage").total_tokens, 10);
    });
}

#[test]
fn cancelled_attempt_is_not_retried() {
    let stage = Stage::with("x", "waits");
    stage.add("y", "repeats");
    block_on(async {
        let request = RunRequest {
            retry: quick_retry(),
            fallback: fall_back_to(&["y"]),
            ..stage.request("x", "go")
        };
        let run = stage.host().start(request).await.expect("a run");
        assert!(run.cancel(Duration::from_secs(2)));
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "text_delta", "done"]);
        assert_eq!(done.status, DoneStatus::Cancelled);
    });
}

#[test]
fn unused_policy_leaves_stream_unchanged() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let mut journals = Vec::new();
        for (run_id, retry) in [("with", quick_retry()), ("none", None)] {
            let mut request = RunRequest { retry, ..stage.request("x", "go") };
            request.params.run_id = run_id.to_owned();
            let run = host.start(request).await.expect("a run");
            assert_eq!(run.wait().await.status, DoneStatus::Completed);
            let journal = std::fs::read_to_string(stage.events_file(run_id)).expect("a journal");
            let pid = format!("\"pid\":{}", pid(&journal));
            journals.push(journal.replace(run_id, "id").replace(&pid, "\"pid\":0"));
        }
        assert_eq!(journals[0], journals[1]);
    });
}

fn pid(journal: &str) -> u64 {
    let first = journal.lines().next().unwrap_or_default();
    let first: Value = serde_json::from_str(first).expect("an event");
    first["event"]["pid"].as_u64().expect("a pid")
}
