//! Calls to a run that is just ending: input, wait and record.

use od_protocol::{DoneStatus, ErrorKind};

use super::service_runs::{service, start, task, wait_for};
use super::stage::{Stage, block_on};

#[test]
fn adapter_exit_after_done_is_not_crash() {
    let stage = Stage::with("x", "leaves");
    block_on(async {
        let service = service(&stage);
        let run_id = start(&service, task(&stage, "x", "go")).await.expect("a run").run_id;
        wait_for(&service, &run_id, "text_delta").await;
        let run = service.host().live_run(&run_id).expect("it is live");
        let late = run.input("too late".to_owned(), None).await.expect_err("no agent answers");
        assert_eq!(late.kind(), ErrorKind::RunUnknown, "{late:?}");
        assert!(late.message.ends_with("has ended"), "{late:?}");
        assert_eq!(run.wait().await.status, DoneStatus::Completed);
    });
}

#[test]
fn wait_on_discarded_run_returns() {
    let stage = Stage::with("x", "refuses_run");
    block_on(async {
        let host = stage.host();
        let waiting = async {
            loop {
                if let Some(run) = host.live_runs().pop() {
                    return run.wait().await;
                }
                tokio::task::yield_now().await;
            }
        };
        let (refused, done) = tokio::join!(stage.start(&host), waiting);
        assert_eq!(refused.expect_err("refused").failure.as_str(), "auth_missing");
        assert_eq!((done.status, done.error_kind), (DoneStatus::Failed, Some(ErrorKind::Internal)));
        assert!(host.live_runs().is_empty());
    });
}

#[test]
fn record_has_session_missing_in_done() {
    let stage = Stage::new();
    let script = stage.work().join("events");
    let events = [
        r#"{"type":"session_started","sessionId":"s9","mode":"new"}"#,
        r#"{"type":"done","status":"completed","stopReason":"end_turn","evidence":"native_result","durationMs":1,"totals":{}}"#,
    ];
    std::fs::write(&script, events.join("\n")).expect("a script");
    stage.add("x", &format!("plays {}", script.display()));
    block_on(async {
        let host = stage.host();
        let run = stage.start(&host).await.expect("a run");
        assert_eq!(run.wait().await.session_id, None);
        assert_eq!(run.record().session_id.as_deref(), Some("s9"));
        let record = host.find_run(run.id()).expect("a record");
        assert_eq!(record.session_id.as_deref(), Some("s9"));
    });
}
