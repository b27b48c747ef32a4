//! What is told of a run whose end meets somebody who speaks to it, waits for it or looks at it.

use od_protocol::{DoneStatus, ErrorKind};

use super::service_runs::{service, start, task, wait_for};
use super::stage::{Stage, block_on};

#[test]
fn an_adapter_that_leaves_because_its_run_is_over_has_not_crashed() {
    let stage = Stage::with("x", "leaves");
    block_on(async {
        let service = service(&stage);
        let run_id = start(&service, task(&stage, "x", "go")).await.expect("a run").run_id;
        wait_for(&service, &run_id, "text_delta").await;
        let run = service.host().live_run(&run_id).expect("it goes on");
        let late = run.input("too late".to_owned(), None).await.expect_err("nobody answers");
        assert_eq!(late.kind(), ErrorKind::RunUnknown, "{late:?}");
        assert!(late.message.ends_with("is over"), "{late:?}");
        assert_eq!(run.wait().await.status, DoneStatus::Completed);
    });
}

#[test]
fn whoever_waits_for_a_run_that_is_taken_back_does_not_wait_for_ever() {
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
fn a_session_that_done_does_not_tell_is_in_the_record_all_the_same() {
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
