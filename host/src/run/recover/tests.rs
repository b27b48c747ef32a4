//! Runs whose owner is gone, leaves, or is still there.

use od_protocol::{DoneEvidence, DoneStatus, Event, RunEventParams, StopReason, Totals};

use super::*;
use crate::home::OdHome;
use crate::journal::{RunOwner, RunStatus};
use crate::journal::writer::{JournalWriter, write_line};

/// A run that goes on: its folder, its record, and its journal, which somebody owns.
fn run() -> (tempfile::TempDir, RunFolder, RunRecord, JournalWriter) {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let home = OdHome::at(scratch.path().to_owned()).expect("an absolute path");
    let folder = RunFolder::create(&home, "r").expect("a run's folder");
    let sink = JournalWriter::create(&folder, "r").expect("a journal");
    let record = RunRecord {
        run_id: "r".to_owned(),
        agent: "x".to_owned(),
        first_agent: None,
        adapter_path: "x".into(),
        adapter_version: "1".to_owned(),
        cwd: "/".into(),
        prompt_preview: String::new(),
        model: None,
        started_at: 1,
        ended_at: None,
        host: RunOwner { pid: 1, started_at: 1 },
        status: RunStatus::Running,
        error_kind: None,
        session_id: None,
        lacks_end: false,
        attempts: 1,
        client: None,
        key: None,
        task_hash: None,
        traceparent: None,
    };
    folder.write_record(&record).expect("a record");
    (scratch, folder, record, sink)
}

fn done() -> Done {
    Done {
        status: DoneStatus::Completed,
        stop_reason: StopReason::EndTurn,
        error_kind: None,
        evidence: DoneEvidence::NativeResult,
        session_id: None,
        exit_code: None,
        signal: None,
        duration_ms: 5,
        totals: Totals::default(),
    }
}

/// The owner's last words.
fn say_done(sink: &mut JournalWriter) {
    let mut line = Vec::new();
    let event = Event::Done(done());
    write_line(
        &mut line,
        &RunEventParams { run_id: "r".to_owned(), seq: 0, ts: 9, event, meta: None },
    );
    sink.close(&line, done());
}

#[test]
fn who_waits_too_long_for_another_one_is_told_what_the_record_says() {
    let (_scratch, folder, record, sink) = run();
    drop(sink);
    let closing = folder.lock_for_closing(Duration::ZERO).expect("a folder");
    assert_eq!(settle_within(&folder, Duration::ZERO).expect("a record"), record);
    drop(closing);
    let settled = settle_within(&folder, Duration::ZERO).expect("a record");
    assert_eq!(settled.status, RunStatus::Failed);
    assert_eq!(folder.read_record().expect("a record"), settled);
    assert!(!folder.reserve().exists());
}

#[test]
fn an_owner_that_has_said_done_is_waited_for() {
    let (_scratch, folder, mut record, mut sink) = run();
    assert_eq!(settle(&folder).expect("a record"), record, "it goes on");
    say_done(&mut sink);
    let looking = std::thread::spawn({
        let folder = folder.clone();
        move || settle(&folder)
    });
    // As long as the owner has not written its record, nobody may be told anything.
    let begin = Instant::now();
    while !looking.is_finished() && begin.elapsed() < Duration::from_millis(100) {
        std::thread::yield_now();
    }
    record.set_end(&done(), 9);
    folder.write_record(&record).expect("a record");
    assert_eq!(looking.join().expect("no panic").expect("a record"), record);
}

#[test]
fn the_session_of_a_run_that_has_said_done_is_known_though_done_did_not_tell_it() {
    let (_scratch, folder, _, sink) = run();
    let session = r#"{"runId":"r","seq":0,"ts":1,"event":{"type":"session_started","sessionId":"s7","mode":"new"}}"#;
    let done = r#"{"runId":"r","seq":1,"ts":2,"event":{"type":"done","status":"completed","stopReason":"end_turn","evidence":"native_result","durationMs":1,"totals":{}}}"#;
    std::fs::write(folder.events(), format!("{session}\n{done}\n")).expect("a journal");
    drop(sink);
    let settled = settle(&folder).expect("a record");
    assert_eq!((settled.status, settled.session_id.as_deref()), (RunStatus::Completed, Some("s7")));
}
