//! Runs whose owner is dead, exits, or is alive.

use od_protocol::{Event, RunEventParams};

use super::*;
use crate::home::OdHome;
use crate::journal::RunStatus;
use crate::journal::writer::{JournalWriter, write_line};

/// A running run: its folder, its record, and the writer that owns its journal.
fn run() -> (tempfile::TempDir, RunFolder, RunRecord, JournalWriter) {
    let (scratch, home) = OdHome::temporary();
    let folder = RunFolder::create(&home, "r").expect("a run's folder");
    let writer = JournalWriter::create(&folder, "r").expect("a journal");
    let record = RunRecord::running("r");
    folder.write_record(&record).expect("a record");
    (scratch, folder, record, writer)
}

fn done() -> Done {
    serde_json::from_value(serde_json::json!({
        "status": "completed", "stopReason": "end_turn", "evidence": "native_result",
        "durationMs": 5, "totals": {},
    }))
    .expect("a done event")
}

/// Writes the `done` event of the owner.
fn write_done(writer: &mut JournalWriter) {
    let mut line = Vec::new();
    let event = Event::Done(done());
    write_line(
        &mut line,
        &RunEventParams { run_id: "r".to_owned(), seq: 0, ts: 9, event, meta: None },
    );
    writer.close(&line, done());
}

#[test]
fn settle_returns_record_after_timeout() {
    let (_scratch, folder, record, writer) = run();
    drop(writer);
    let closing = folder.lock_for_closing(Duration::ZERO).expect("a folder");
    assert_eq!(settle_within(&folder, Duration::ZERO).expect("a record"), record);
    drop(closing);
    let settled = settle_within(&folder, Duration::ZERO).expect("a record");
    assert_eq!(settled.status, RunStatus::Failed);
    assert_eq!(folder.read_record().expect("a record"), settled);
    assert!(!folder.reserve().exists());
}

#[test]
fn settle_waits_for_owner_after_done() {
    let (_scratch, folder, mut record, mut writer) = run();
    assert_eq!(settle(&folder).expect("a record"), record, "it is running");
    write_done(&mut writer);
    let reader = std::thread::spawn({
        let folder = folder.clone();
        move || settle(&folder)
    });
    // No reader may get an answer before the owner has written its record.
    let begin = Instant::now();
    while !reader.is_finished() && begin.elapsed() < Duration::from_millis(100) {
        std::thread::yield_now();
    }
    record.set_end(&done(), 9);
    folder.write_record(&record).expect("a record");
    assert_eq!(reader.join().expect("no panic").expect("a record"), record);
}

#[test]
fn session_missing_in_done_is_recovered() {
    let (_scratch, folder, _, writer) = run();
    let session = r#"{"runId":"r","seq":0,"ts":1,"event":{"type":"session_started","sessionId":"s7","mode":"new"}}"#;
    let done = r#"{"runId":"r","seq":1,"ts":2,"event":{"type":"done","status":"completed","stopReason":"end_turn","evidence":"native_result","durationMs":1,"totals":{}}}"#;
    std::fs::write(folder.events(), format!("{session}\n{done}\n")).expect("a journal");
    drop(writer);
    let settled = settle(&folder).expect("a record");
    assert_eq!((settled.status, settled.session_id.as_deref()), (RunStatus::Completed, Some("s7")));
}
