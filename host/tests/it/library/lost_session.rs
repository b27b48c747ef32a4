//! A retry that resumes a session which the agent CLI no longer knows.

use od_host::RunRequest;
use od_protocol::Handover;
use od_protocol::api::{FallbackPolicy, RetryPolicy};
use od_protocol::{DoneStatus, ErrorKind, Event, RunEventParams};

use super::attempts::{errors, last_params, notices, quick_retry, run};
use super::stage::{Stage, block_on, types};

fn retries(events: &[RunEventParams]) -> Vec<(u32, Option<u32>, &str)> {
    let retries = events.iter().filter_map(|params| match &params.event {
        Event::Retry(retry) => Some((retry.attempt, retry.max_attempts, retry.reason.as_str())),
        _ => None,
    });
    retries.collect()
}

/// A request with one retry; the agent loses the session of the first attempt.
fn one_retry(stage: &Stage) -> RunRequest {
    let retry = RetryPolicy { max_attempts: Some(2), ..quick_retry().expect("a policy") };
    RunRequest { retry: Some(retry), ..stage.request("x", "the task") }
}

#[test]
fn lost_session_restarts_agent_with_transcript() {
    for (mode, used) in [
        ("forgets resumable", "session_unknown: it fails with session_unknown; used 5"),
        ("forgets at_once resumable", "session_unknown: no such session; used nothing"),
    ] {
        let stage = Stage::with("x", mode);
        block_on(async {
            let host = stage.host();
            let (events, done) = run(&host, one_retry(&stage)).await;
            assert_eq!(done.status, DoneStatus::Completed);
            let kinds: Vec<&ErrorKind> = errors(&events).iter().map(|error| &error.kind).collect();
            assert_eq!(kinds, [&ErrorKind::RateLimited, &ErrorKind::SessionUnknown]);
            let [limit, lost] = retries(&events)[..] else { panic!("{:?}", types(&events)) };
            assert_eq!((limit.0, lost.0, lost.1), (1, 1, Some(1)), "it is the same attempt");
            assert!(lost.2.starts_with(used), "the reason includes the usage: {lost:?}");
            let [(code, text)] = notices(&events)[..] else { panic!("{:?}", types(&events)) };
            assert_eq!(code, "retry_session_lost");
            assert!(text.contains("session first") && text.contains("with a transcript"), "{text}");

            let last_params = last_params(&events);
            assert_eq!(last_params["session"]["mode"], "new");
            let prompt = last_params["prompt"].as_str().expect("a prompt");
            assert!(prompt.contains("x said: I begin"), "{prompt}");
            assert!(prompt.ends_with("\n\nthe task"), "{prompt}");
            assert_eq!(host.find_run("last").expect("a record").attempts, 3);
        });
    }
}

#[test]
fn lost_session_restarts_with_prompt_on_request() {
    let stage = Stage::with("x", "forgets resumable");
    block_on(async {
        let mut request = one_retry(&stage);
        let handover = Some(Handover::Prompt);
        request.fallback = Some(FallbackPolicy { handover, ..FallbackPolicy::default() });
        let (events, _) = run(&stage.host(), request).await;
        assert_eq!(last_params(&events)["prompt"], "the task");
    });
}

#[test]
fn session_of_client_is_not_replaced() {
    let stage = Stage::with("x", "fails session_unknown resumable");
    block_on(async {
        let mut request = one_retry(&stage);
        request.params.session.mode = od_protocol::SessionMode::Resume;
        request.params.session.id = Some("mine".to_owned());
        let (events, done) = run(&stage.host(), request).await;
        assert_eq!(types(&events), ["run_started", "usage", "error", "done"]);
        assert_eq!(done.error_kind, Some(ErrorKind::SessionUnknown));
    });
}
