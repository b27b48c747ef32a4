//! A full disk, and several attempts in one journal.

use super::*;
use crate::home::OdHome;

fn line(seq: u64) -> String {
    format!(r#"{{"runId":"r","seq":{seq},"ts":0,"event":{{"type":"heartbeat"}}}}"#)
}

#[test]
fn full_disk_keeps_end_in_memory() {
    let (_scratch, home) = OdHome::temporary();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
    let mut journal = JournalWriter::on(full, RunFolder::of(&home, "r"), "r");
    let progress = journal.progress();
    let event = line(0);
    journal.accept(&Envelope::read(event.as_bytes()).expect("an envelope")).expect("in order");
    journal.flush();
    assert!(matches!(&progress.borrow().phase, Phase::Broken(text) if text.contains("space")));
    assert_eq!(journal.unwritten(), format!("{event}\n").as_bytes());

    journal.close(b"closing\n", serde_json::from_str(FAILED).expect("a done event"));
    let progress = progress.borrow();
    assert_eq!((progress.length, &progress.phase), (0, &Phase::Ended));
    assert_eq!(progress.tail.as_deref(), Some(format!("{event}\nclosing\n").as_bytes()));
}

/// A journal in a temporary folder.
fn create_journal() -> (tempfile::TempDir, JournalWriter) {
    let (scratch, home) = OdHome::temporary();
    let folder = RunFolder::create(&home, "r").expect("a run's folder");
    let journal = JournalWriter::create(&folder, "r").expect("a journal");
    (scratch, journal)
}

fn accept(journal: &mut JournalWriter, seq: u64, event: &str) {
    let line = format!(r#"{{"runId":"r","seq":{seq},"ts":0,"event":{event}}}"#);
    journal.accept(&Envelope::read(line.as_bytes()).expect("an envelope")).expect("in order");
    journal.flush();
}

/// The fault of an event, which must not reach the journal.
fn reject(journal: &mut JournalWriter, run_id: &str, seq: u64, event: &str) -> Fault {
    let line = format!(r#"{{"runId":"{run_id}","seq":{seq},"ts":0,"event":{event}}}"#);
    let before = written(journal);
    let fault = journal.accept(&Envelope::read(line.as_bytes()).expect("an envelope"));
    journal.flush();
    assert_eq!(written(journal), before, "it is dropped");
    fault.expect_err("a fault")
}

fn written(journal: &JournalWriter) -> Vec<(u64, String)> {
    let text = std::fs::read_to_string(journal.folder.events()).expect("a journal");
    let read = |line: &str| {
        let envelope = Envelope::read(line.as_bytes()).expect("an envelope");
        (envelope.seq, envelope.type_name.to_owned())
    };
    text.lines().map(read).collect()
}

const FATAL: &str = r#"{"type":"error","kind":"rate_limited","message":"m","fatal":true}"#;
const FAILED: &str = r#"{"type":"done","status":"failed","stopReason":"error","evidence":"watchdog","durationMs":1,"totals":{}}"#;
const HEARTBEAT: &str = r#"{"type":"heartbeat","silentMs":1}"#;

#[test]
fn events_after_fatal_error_are_buffered() {
    let (_scratch, mut journal) = create_journal();
    let progress = journal.progress();
    journal.buffering = Buffering::Failure;
    accept(&mut journal, 0, r#"{"type":"error","kind":"timeout","message":"m","fatal":false}"#);
    accept(&mut journal, 1, FATAL);
    accept(&mut journal, 2, HEARTBEAT);
    assert_eq!(progress.borrow().phase, Phase::Open);
    accept(&mut journal, 3, FAILED);
    assert_eq!(progress.borrow().phase, Phase::Buffered);
    assert_eq!(written(&journal), [(0, "error".to_owned())]);
    let buffered = std::fs::read_to_string(journal.folder.buffer_file()).expect("it is on disk");
    assert_eq!(buffered.lines().count(), 3);
    journal.release();
    assert_eq!(progress.borrow().phase, Phase::Ended);
    assert_eq!(written(&journal).len(), 4);
    assert!(!journal.folder.buffer_file().exists() && journal.done().is_some());
}

#[test]
fn next_attempt_continues_numbering() {
    let (_scratch, journal) = create_journal();
    let journal = Arc::new(std::sync::Mutex::new(journal));
    let first = EventWriter::begin(&journal, Buffering::Failure);
    {
        let mut journal = first.open().expect("the current attempt");
        accept(&mut journal, 0, FATAL);
        accept(&mut journal, 1, FAILED);
        journal.release_rewritten(|error| error.fatal = false);
        journal.emit(Event::Heartbeat(od_protocol::Heartbeat { silent_ms: 1 }));
    }
    let second = EventWriter::begin(&journal, Buffering::Done);
    assert!(first.open().is_none(), "the attempt has ended");
    let mut journal = second.open().expect("the current attempt");
    assert!(journal.has_no_events());
    accept(&mut journal, 0, HEARTBEAT);
    accept(&mut journal, 1, FATAL);
    let types = ["error", "heartbeat", "heartbeat", "error"].map(str::to_owned);
    assert_eq!(written(&journal), (0..).zip(types).collect::<Vec<_>>());
    let text = std::fs::read_to_string(journal.folder.events()).expect("a journal");
    assert_eq!(text.matches(r#""fatal":false"#).count(), 1);
    assert!(!journal.folder.buffer_file().exists());
}

#[test]
fn buffer_after_fatal_error_is_bounded() {
    let (_scratch, mut journal) = create_journal();
    journal.buffering = Buffering::Failure;
    accept(&mut journal, 0, FATAL);
    let long =
        format!(r#"{{"type":"text_delta","messageId":"m","text":"{}"}}"#, "x".repeat(600_000));
    accept(&mut journal, 1, &long);
    assert!(written(&journal).is_empty());
    accept(&mut journal, 2, &long);
    assert_eq!((written(&journal).len(), journal.buffered().is_none()), (3, true));
}

#[test]
fn invalid_event_is_dropped() {
    let (_scratch, mut journal) = create_journal();
    journal.emit(Event::Heartbeat(od_protocol::Heartbeat { silent_ms: 1 }));
    accept(&mut journal, 0, HEARTBEAT);
    for seq in [0, 2, 9] {
        let expected = format!("has the number {seq} instead of 1");
        let fault = reject(&mut journal, "r", seq, HEARTBEAT);
        assert!(matches!(&fault, Fault::Fatal(what) if what.contains(&expected)), "{fault:?}");
    }
    let fault = reject(&mut journal, "r", 1, r#"{"type":"done"}"#);
    assert!(matches!(&fault, Fault::Fatal(what) if what.contains("status")), "{fault:?}");
    assert!(matches!(reject(&mut journal, "other", 1, HEARTBEAT), Fault::Harmless(_)));
    accept(&mut journal, 1, FAILED);
    assert!(matches!(reject(&mut journal, "r", 7, HEARTBEAT), Fault::Harmless(_)), "after its end");
}
