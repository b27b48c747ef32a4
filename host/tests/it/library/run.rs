//! A run with an adapter that is good, crashes, hangs, prints garbage, floods, or does not stop.

use std::time::Duration;

use od_host::ExitStatus;
use od_host::journal::RunStatus;
use od_protocol::{DoneEvidence, DoneStatus, ErrorKind, Event};

use super::stage::{Stage, assert_whole, block_on, collect, text, types};

#[test]
fn a_good_run_is_on_disk_as_it_came() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let run = stage.start(&host).await.expect("a run");
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(types(&events), ["run_started", "session_started", "text_delta", "done"]);
        assert_eq!(text(&events), "2 bytes: \"quoted\"\n\u{2028}ü");
        assert_eq!(ExitStatus::of_done(&done), ExitStatus::Completed);

        // The file holds the very envelopes, one per line.
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
fn a_crash_closes_what_was_open_and_tells_the_last_words() {
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
fn an_adapter_that_hangs_is_pinged_and_ended() {
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
fn an_adapter_that_closes_its_output_is_ended() {
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
fn garbage_is_counted_and_costs_nothing() {
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
fn members_in_another_order_are_an_event_too() {
    let stage = Stage::with("x", "other_order");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        let (events, _) = collect(&run).await;
        assert_whole(&events);
        assert_eq!(text(&events), "shuffled");
    });
}

#[test]
fn a_flood_is_not_lost_on_a_reader_that_comes_late() {
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

        // From the middle on, and by way of the folder instead of the handle.
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
fn cancel_is_told_to_the_adapter() {
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
fn an_adapter_that_is_deaf_to_cancel_is_ended() {
    let stage = Stage::with("x", "deaf");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        assert!(run.cancel(Duration::ZERO));
        let (events, done) = collect(&run).await;
        assert_whole(&events);
        assert_eq!((done.status, done.evidence), (DoneStatus::Cancelled, DoneEvidence::Watchdog));
    });
}

#[test]
fn an_adapter_that_does_not_exit_after_done_is_ended() {
    let stage = Stage::with("x", "never_exits");
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        assert_eq!(run.wait().await.status, DoneStatus::Completed);
    });
}

#[test]
fn an_adapter_that_does_not_keep_the_limit_of_the_run_is_ended() {
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
        run.input("finish".to_owned(), None).await.expect("it is taken");
        let (events, _) = collect(&run).await;
        assert!(types(&events).contains(&"user_message"));
        let late = run.input("more".to_owned(), None).await.expect_err("the run is over");
        assert_eq!(late.kind(), ErrorKind::RunUnknown);

        let run = host.start(stage.request("y", "go")).await.expect("a run");
        let answer = serde_json::from_value(serde_json::json!({
            "runId": "", "approvalId": "a1", "outcome": "allow_once",
        }));
        run.respond(answer.expect("an answer")).await.expect("it is taken");
        let (events, _) = collect(&run).await;
        assert_whole(&events);
        assert!(types(&events).contains(&"approval_resolved"));
    });
}

#[test]
fn a_prompt_of_ten_megabytes_arrives_whole() {
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
