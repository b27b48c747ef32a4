//! The writing end against a full disk, and with several attempts in one journal.

use super::*;
use crate::home::OdHome;
use od_protocol::{DoneEvidence, DoneStatus, StopReason, Totals};

fn line(seq: u64) -> String {
    format!(r#"{{"runId":"r","seq":{seq},"ts":0,"event":{{"type":"heartbeat"}}}}"#)
}

#[test]
fn a_full_disk_breaks_the_journal_and_keeps_the_end_in_memory() {
    let home = tempfile::tempdir().expect("a folder");
    let home = OdHome::at(home.path().to_owned()).expect("an absolute path");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
    let mut sink = Sink::on(full, RunFolder::of(&home, "r"), "r");
    let progress = sink.progress();
    let event = line(0);
    sink.accept(&Envelope::read(event.as_bytes()).expect("an envelope")).expect("in order");
    sink.flush();
    assert!(matches!(&progress.borrow().phase, Phase::Broken(text) if text.contains("space")));
    assert_eq!(sink.unwritten(), format!("{event}\n").as_bytes());

    let done = Done {
        status: DoneStatus::Failed,
        stop_reason: StopReason::Error,
        error_kind: None,
        evidence: DoneEvidence::Watchdog,
        session_id: None,
        exit_code: None,
        signal: None,
        duration_ms: 0,
        totals: Totals::default(),
    };
    sink.close(b"closing\n", done);
    let progress = progress.borrow();
    assert_eq!((progress.length, &progress.phase), (0, &Phase::Ended));
    assert_eq!(progress.tail.as_deref(), Some(format!("{event}\nclosing\n").as_bytes()));
}

/// A sink on a real file, the event lines it has written so far, and its folder.
fn sink() -> (tempfile::TempDir, Sink) {
    let home = tempfile::tempdir().expect("a folder");
    let place = OdHome::at(home.path().to_owned()).expect("an absolute path");
    let folder = RunFolder::create(&place, "r").expect("a run's folder");
    let sink = Sink::create(&folder, "r").expect("a journal");
    (home, sink)
}

fn take(sink: &mut Sink, seq: u64, event: &str) {
    let line = format!(r#"{{"runId":"r","seq":{seq},"ts":0,"event":{event}}}"#);
    sink.accept(&Envelope::read(line.as_bytes()).expect("an envelope")).expect("in order");
    sink.flush();
}

/// What is wrong with an event, which must not reach the journal.
fn refuse(sink: &mut Sink, run_id: &str, seq: u64, event: &str) -> Fault {
    let line = format!(r#"{{"runId":"{run_id}","seq":{seq},"ts":0,"event":{event}}}"#);
    let before = written(sink);
    let fault = sink.accept(&Envelope::read(line.as_bytes()).expect("an envelope"));
    sink.flush();
    assert_eq!(written(sink), before, "it is left out");
    fault.expect_err("it breaks a rule")
}

fn written(sink: &Sink) -> Vec<(u64, String)> {
    let journal = std::fs::read_to_string(sink.folder.events()).expect("a journal");
    let read = |line: &str| {
        let envelope = Envelope::read(line.as_bytes()).expect("an envelope");
        (envelope.seq, envelope.type_name.to_owned())
    };
    journal.lines().map(read).collect()
}

const FATAL: &str = r#"{"type":"error","kind":"rate_limited","message":"m","fatal":true}"#;
const FAILED: &str = r#"{"type":"done","status":"failed","stopReason":"error","evidence":"watchdog","durationMs":1,"totals":{}}"#;
const BEAT: &str = r#"{"type":"heartbeat","silentMs":1}"#;

#[test]
fn what_follows_a_fatal_error_waits_until_it_is_decided() {
    let (_home, mut sink) = sink();
    let progress = sink.progress();
    sink.hold = Hold::Failure;
    take(&mut sink, 0, r#"{"type":"error","kind":"timeout","message":"m","fatal":false}"#);
    take(&mut sink, 1, FATAL);
    take(&mut sink, 2, BEAT);
    assert_eq!(progress.borrow().phase, Phase::Open);
    take(&mut sink, 3, FAILED);
    assert_eq!(progress.borrow().phase, Phase::Held);
    assert_eq!(written(&sink), [(0, "error".to_owned())]);
    let held = std::fs::read_to_string(sink.folder.held()).expect("it is on disk");
    assert_eq!(held.lines().count(), 3);
    sink.release();
    assert_eq!(progress.borrow().phase, Phase::Ended);
    assert_eq!(written(&sink).len(), 4);
    assert!(!sink.folder.held().exists() && sink.done().is_some());
}

#[test]
fn the_next_attempt_goes_on_with_the_numbers() {
    let (_home, sink) = sink();
    let sink = Arc::new(std::sync::Mutex::new(sink));
    let first = Intake::begin(&sink, Hold::Failure);
    {
        let mut sink = first.open().expect("it is its turn");
        take(&mut sink, 0, FATAL);
        take(&mut sink, 1, FAILED);
        sink.release_rewritten(|error| error.fatal = false);
        sink.tell(Event::Heartbeat(od_protocol::Heartbeat { silent_ms: 1 }));
    }
    let second = Intake::begin(&sink, Hold::End);
    assert!(first.open().is_none(), "its turn is over");
    let mut sink = second.open().expect("it is its turn");
    assert!(sink.is_unheard());
    take(&mut sink, 0, BEAT);
    take(&mut sink, 1, FATAL);
    let types = ["error", "heartbeat", "heartbeat", "error"].map(str::to_owned);
    assert_eq!(written(&sink), (0..).zip(types).collect::<Vec<_>>());
    let journal = std::fs::read_to_string(sink.folder.events()).expect("a journal");
    assert_eq!(journal.matches(r#""fatal":false"#).count(), 1);
    assert!(!sink.folder.held().exists());
}

#[test]
fn an_endless_talk_after_a_fatal_error_is_not_kept_in_memory() {
    let (_home, mut sink) = sink();
    sink.hold = Hold::Failure;
    take(&mut sink, 0, FATAL);
    let long =
        format!(r#"{{"type":"text_delta","messageId":"m","text":"{}"}}"#, "x".repeat(600_000));
    take(&mut sink, 1, &long);
    assert!(written(&sink).is_empty());
    take(&mut sink, 2, &long);
    assert_eq!((written(&sink).len(), sink.held().is_none()), (3, true));
}

#[test]
fn an_event_that_breaks_the_stream_is_left_out() {
    let (_home, mut sink) = sink();
    sink.tell(Event::Heartbeat(od_protocol::Heartbeat { silent_ms: 1 }));
    take(&mut sink, 0, BEAT);
    for seq in [0, 2, 9] {
        let expected = format!("has the number {seq}, expected was 1");
        let fault = refuse(&mut sink, "r", seq, BEAT);
        assert!(matches!(&fault, Fault::Fatal(what) if what.contains(&expected)), "{fault:?}");
    }
    let fault = refuse(&mut sink, "r", 1, r#"{"type":"done"}"#);
    assert!(matches!(&fault, Fault::Fatal(what) if what.contains("status")), "{fault:?}");
    assert!(matches!(refuse(&mut sink, "other", 1, BEAT), Fault::Harmless(_)));
    take(&mut sink, 1, FAILED);
    assert!(matches!(refuse(&mut sink, "r", 7, BEAT), Fault::Harmless(_)), "after its end");
}
