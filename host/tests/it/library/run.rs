//! A run with an adapter that works, crashes, hangs, prints garbage, floods, or does not stop.

use std::time::Duration;

use od_host::ExitStatus;
use od_host::journal::RunStatus;
use od_protocol::{DoneEvidence, DoneStatus, ErrorKind, Event};

use super::stage::{Stage, assert_whole, block_on, collect, text, types};

#[test]
fn run_is_journaled_byte_for_byte() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let run = stage.start(&host).await.expect("a run");
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "session_started", "text_delta", "done"]);
        assert_eq!(text(&events), "2 bytes: \"quoted\"\n\u{2028}ü");
        assert_eq!(ExitStatus::of_done(&done), ExitStatus::Completed);

        // The file has the same bytes, one envelope per line.
        let journal = std::fs::read_to_string(stage.events_file(run.id())).expect("a journal");
        assert_eq!(journal.lines().count(), 4);
        let last = journal.lines().last().unwrap_or_default();
        let begin = format!(
            r#"{{"runId":"{}","seq":3,"ts":1700000000003,"event":{{"type":"done","#,
            run.id()
        );
        assert!(last.starts_with(&begin), "{last}");

        let record = host.find_run(run.id()).expect("a record");
        assert_eq!(
            (record.status, record.session_id.as_deref()),
            (RunStatus::Completed, Some("s1"))
        );
        assert_eq!((record.agent.as_str(), record.prompt_preview.as_str()), ("x", "go"));
        assert!(record.ended_at.is_some() && record.error_kind.is_none());
    });
}

#[test]
fn crash_closes_open_items_and_reports_stderr() {
    let stage = Stage::with("x", "crash");
    block_on(async {
        let host = stage.host();
        let run = stage.start(&host).await.expect("a run");
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        let Some(Event::Error(error)) = events.iter().rev().nth(1).map(|params| &params.event)
        else {
            panic!("no error before done: {:?}", types(&events));
        };
        assert_eq!((&error.kind, error.fatal), (&ErrorKind::PluginCrashed, true));
        assert!(
            error.message.contains("exit code 7") && error.message.contains("boom"),
            "{}",
            error.message
        );
        assert!(error.hint.is_some());
        assert_eq!((done.status, done.evidence), (DoneStatus::Failed, DoneEvidence::Watchdog));
        assert_eq!(done.error_kind, Some(ErrorKind::PluginCrashed));
        assert_eq!(host.find_run("last").expect("a record").status, RunStatus::Failed);
    });
}

#[test]
fn hung_adapter_is_pinged_and_killed() {
    let stage = Stage::with("x", "hang");
    let mut options = stage.options();
    options.silence = Duration::from_millis(50);
    options.ping_limit = Duration::from_millis(50);
    block_on(async {
        let host = od_host::Host::open(options).expect("a host");
        let run = stage.start(&host).await.expect("a run");
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(done.error_kind, Some(ErrorKind::PluginHung));
        assert_eq!(types(&events), ["run_started", "error", "done"]);
    });
}

#[test]
fn adapter_that_closes_stdout_is_killed() {
    let stage = Stage::with("x", "closes_output");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(done.error_kind, Some(ErrorKind::PluginCrashed));
        assert_eq!(text(&events), "soon gone");
    });
}

#[test]
fn garbage_lines_are_counted_and_ignored() {
    let stage = Stage::with("x", "garbage");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "text_delta", "text_delta", "done"]);
        assert_eq!((text(&events).as_str(), done.status), ("onetwo", DoneStatus::Completed));
    });
}

#[test]
fn event_members_may_have_any_order() {
    let stage = Stage::with("x", "other_order");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        let (events, _) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(text(&events), "shuffled");
    });
}

#[test]
fn late_reader_gets_all_events() {
    let stage = Stage::with("x", "flood 50000");
    block_on(async {
        let host = stage.host();
        let run = stage.start(&host).await.expect("a run");
        let done = run.wait().await;
        assert_eq!(done.status, DoneStatus::Completed);
        let (events, _) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(events.len(), 50_002);
        assert_eq!(text(&events).len(), 8 * 50_000);

        // From the middle, and through the host instead of the handle.
        let mut reader = host.events(run.id(), 50_000).expect("a reader");
        let mut numbers = Vec::new();
        while let Some(event) = reader.next().await.expect("an event") {
            numbers.push((event.seq, event.type_name.to_owned()));
        }
        let expected = [(50_000, "text_delta".to_owned()), (50_001, "done".to_owned())];
        assert_eq!(numbers, expected);
    });
}

#[test]
fn cancel_reaches_adapter() {
    let stage = Stage::with("x", "waits");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        assert!(run.cancel(Duration::from_secs(2)));
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(
            (done.status, done.evidence),
            (DoneStatus::Cancelled, DoneEvidence::NativeResult)
        );
        assert!(!run.cancel(Duration::ZERO), "it is over");
        assert_eq!(ExitStatus::of_done(&done), ExitStatus::Cancelled);
    });
}

#[test]
fn adapter_that_ignores_cancel_is_killed() {
    let stage = Stage::with("x", "ignores_cancel");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        assert!(run.cancel(Duration::ZERO));
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!((done.status, done.evidence), (DoneStatus::Cancelled, DoneEvidence::Watchdog));
    });
}

#[test]
fn adapter_that_stays_after_done_is_killed() {
    let stage = Stage::with("x", "never_exits");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        assert_eq!(run.wait().await.status, DoneStatus::Completed);
    });
}

#[test]
fn adapter_that_exceeds_total_timeout_is_killed() {
    let stage = Stage::with("x", "waits");
    block_on(async {
        let mut request = stage.request("x", "go");
        request.params.timeouts.total_ms = Some(1);
        let run = stage.host().start(request).await.expect("a run");
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(
            (done.status, &done.error_kind),
            (DoneStatus::TimedOut, &Some(ErrorKind::Timeout))
        );
        assert_eq!(ExitStatus::of_done(&done), ExitStatus::TimedOut);
    });
}

#[test]
fn input_and_approvals_reach_the_adapter() {
    let stage = Stage::with("x", "waits");
    stage.add("y", "asks");
    block_on(async {
        let host = stage.host();
        let run = stage.start(&host).await.expect("a run");
        run.input("finish".to_owned(), None).await.expect("accepted");
        let (events, _) = collect(&run).await;
        assert!(types(&events).contains(&"user_message"));
        let late = run.input("more".to_owned(), None).await.expect_err("the run has ended");
        assert_eq!(late.kind(), ErrorKind::RunUnknown);

        let run = host.start(stage.request("y", "go")).await.expect("a run");
        let answer = serde_json::from_value(serde_json::json!({
            "runId": "", "approvalId": "a1", "outcome": "allow_once",
        }));
        run.respond(answer.expect("an answer")).await.expect("accepted");
        let (events, _) = collect(&run).await;
        assert_whole(&events);
        assert!(types(&events).contains(&"approval_resolved"));
    });
}

#[test]
fn ten_megabyte_prompt_arrives_whole() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let prompt = "ä".repeat(5_000_000);
        let run = stage.host().start(stage.request("x", &prompt)).await.expect("a run");
        let (events, _) = collect(&run).await;
        assert!(text(&events).starts_with("10000000 bytes"), "{}", text(&events));
    });
}

#[test]
fn two_runs_do_not_mix() {
    let stage = Stage::with("x", "flood 2000");
    block_on(async {
        let host = stage.host();
        let (one, two) = tokio::join!(stage.start(&host), stage.start(&host));
        let (one, two) = (one.expect("a run"), two.expect("a run"));
        for run in [one, two] {
            let (events, _) = collect(&run).await;
            assert_whole(&events);
            assert!(events.iter().all(|params| params.run_id == run.id()));
            assert_eq!(events.len(), 2002);
        }
    });
}
