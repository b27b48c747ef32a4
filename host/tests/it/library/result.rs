//! The result of a run, composed from its journal.

use std::time::Duration;

use od_host::{Failure, RunRequest};
use od_protocol::api::{FallbackPolicy, RunResult};
use od_protocol::{DoneEvidence, DoneStatus, ErrorKind, FileOp, StopReason};

use super::stage::{Stage, block_on};

/// The result of a run that emits these events and completes.
fn result_of(events: &serde_json::Value) -> RunResult {
    let stage = Stage::with("x", &format!("emits {events}"));
    block_on(async {
        let host = stage.host();
        let run = stage.start(&host).await.expect("a run");
        host.result(run.id(), None).await.expect("a result")
    })
}

#[test]
fn result_of_completed_run_has_message_and_evidence() {
    let result = result_of(&serde_json::json!([
        {"type": "session_started", "sessionId": "s", "mode": "new", "model": "big"},
        {"type": "text_delta", "messageId": "a", "text": "first"},
        {"type": "message_stopped", "messageId": "a"},
        {"type": "text_delta", "messageId": "b", "text": "the "},
        {"type": "text_delta", "messageId": "b", "text": "answer\n"},
        {"type": "message_stopped", "messageId": "b"},
        {"type": "text_delta", "messageId": "c", "text": "no"},
        {"type": "message_discarded", "messageId": "c"},
        {"type": "file_change", "path": "/b", "op": "create", "source": "native"},
        {"type": "file_change", "path": "/a", "op": "edit", "source": "native"},
        {"type": "file_change", "path": "/tmp", "op": "create", "source": "native"},
        {"type": "file_change", "path": "/tmp", "op": "delete", "source": "native"},
        {"type": "usage", "scope": "turn", "cumulative": false, "inputTokens": 3,
         "outputTokens": 1, "totalTokens": 4, "costUsd": 0.5, "source": "cli"},
        {"type": "usage", "scope": "turn", "cumulative": false, "inputTokens": 5,
         "outputTokens": 1, "totalTokens": 6, "costUsd": 0.25, "source": "cli"},
    ]));
    assert_eq!((result.content.as_str(), result.agent.as_str()), ("the answer", "x"));
    assert_eq!((result.cost_usd, result.last_seq), (Some(0.75), 15));
    assert_eq!(result.usage.as_ref().map(|usage| usage.total_tokens), Some(10));
    let files: Vec<(&str, FileOp)> =
        result.files.iter().map(|file| (file.path.as_str(), file.op)).collect();
    assert_eq!(files, [("/a", FileOp::Edit), ("/b", FileOp::Create)]);
    assert_eq!(result.verdict.status, DoneStatus::Completed);
    assert_eq!(
        (result.verdict.evidence, result.verdict.stop_reason),
        (DoneEvidence::NativeResult, StopReason::EndTurn)
    );
    assert_eq!(result.verdict.message, None);
    assert_eq!(result.session_id.as_deref(), Some("s1"), "`done` decides");
    let [attempt] = &result.attempts[..] else { panic!("one attempt: {:?}", result.attempts) };
    assert_eq!((attempt.model.as_deref(), &attempt.error_kind), (Some("big"), &None));
}

#[test]
fn result_omits_values_agent_did_not_report() {
    let result = result_of(&serde_json::json!([]));
    assert_eq!((result.content.as_str(), result.cost_usd, result.usage), ("", None, None));
    let result = result_of(&serde_json::json!([
        {"type": "usage", "scope": "session", "cumulative": true, "inputTokens": 500,
         "outputTokens": 0, "totalTokens": 500, "costUsd": 2.0, "source": "cli"},
    ]));
    assert_eq!((result.usage, result.cost_usd), (None, None), "earlier runs are not this one");
}

#[test]
fn result_of_failed_run_has_reason_and_hint() {
    let stage = Stage::with("x", "crash");
    block_on(async {
        let host = stage.host();
        let run = stage.start(&host).await.expect("a run");
        let verdict = host.result(run.id(), None).await.expect("a result").verdict;
        assert_eq!(
            (verdict.status, verdict.error_kind),
            (DoneStatus::Failed, Some(ErrorKind::PluginCrashed))
        );
        assert!(verdict.message.is_some_and(|message| message.contains("boom")));
        assert!(verdict.hint.is_some());
    });
}

#[test]
fn result_sums_usage_of_all_attempts() {
    let stage = Stage::with("x", "limited 3600000");
    stage.add("y", "repeats");
    block_on(async {
        let host = stage.host();
        let policy = FallbackPolicy { agents: vec!["y".to_owned()], ..FallbackPolicy::default() };
        let request = RunRequest { fallback: Some(policy), ..stage.request("x", "go") };
        let run = host.start(request).await.expect("a run");
        let result = host.result(run.id(), None).await.expect("a result");
        let attempts: Vec<(&str, Option<u64>, Option<&str>)> = result
            .attempts
            .iter()
            .map(|attempt| {
                let tokens = attempt.usage.as_ref().map(|usage| usage.total_tokens);
                let error_kind = attempt.error_kind.as_ref().map(ErrorKind::as_str);
                (attempt.agent.as_str(), tokens, error_kind)
            })
            .collect();
        assert_eq!(attempts, [("x", Some(10), Some("rate_limited")), ("y", Some(7), None)]);
        assert_eq!((result.agent.as_str(), result.cost_usd), ("y", Some(0.75)));
        assert_eq!(result.usage.map(|usage| usage.total_tokens), Some(17));
        assert!(result.content.contains("\"prompt\""), "{}", result.content);
        assert_eq!((result.verdict.error_kind, result.verdict.message), (None, None));
    });
}

#[test]
fn result_waits_up_to_limit() {
    let stage = Stage::with("x", "waits");
    block_on(async {
        let (host, other) = (stage.host(), stage.host());
        let run = stage.start(&host).await.expect("a run");
        for last_params in [&host, &other] {
            let late =
                last_params.result(run.id(), Some(Duration::ZERO)).await.expect_err("too early");
            assert_eq!(late.failure, Failure::Protocol(ErrorKind::Timeout));
            assert!(late.hint.is_some());
        }
        let waiting = tokio::spawn({
            let (other, run_id) = (other.clone(), run.id().to_owned());
            async move { other.result(&run_id, None).await }
        });
        assert!(run.cancel(Duration::from_secs(2)));
        let here = host.result(run.id(), Some(Duration::from_secs(30))).await.expect("a result");
        let there = waiting.await.expect("no panic").expect("a result");
        assert_eq!(here, there);
        assert_eq!(here.verdict.status, DoneStatus::Cancelled);
        let unknown = host.result("nope", None).await.expect_err("it does not exist");
        assert_eq!(unknown.failure, Failure::Protocol(ErrorKind::RunUnknown));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn host_raises_open_file_limit() {
    let stage = Stage::new();
    let _host = stage.host();
    let limits = std::fs::read_to_string("/proc/self/limits").expect("the limits");
    let row = limits.lines().find(|row| row.starts_with("Max open files")).expect("a row");
    let [soft, hard] =
        row["Max open files".len()..].split_whitespace().take(2).collect::<Vec<_>>()[..]
    else {
        panic!("{row}");
    };
    assert_eq!(soft, hard);
}
