//! What a host that was killed leaves behind, and what retention does with it.

use std::fs::{File, FileTimes};

use jiff::tz::TimeZone;
use od_protocol::api::SummarizeUsageParams;

use super::*;
use crate::journal::sink::Sink;
use crate::usage;

fn scratch() -> (tempfile::TempDir, OdHome) {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let home = OdHome::at(scratch.path().to_owned()).expect("an absolute path");
    (scratch, home)
}

/// Nothing has come into the folder or gone from it for two minutes.
fn rest(folder: &RunFolder) {
    let times = FileTimes::new().set_modified(SystemTime::now() - 2 * BEING_MADE);
    let opened = File::open(folder.path()).expect("a folder");
    opened.set_times(times).expect("another time");
}

/// A run whose host has died, and which used something.
fn dead(home: &OdHome, run_id: &str) -> RunFolder {
    let folder = RunFolder::create(home, run_id).expect("a run's folder");
    let record = serde_json::json!({
        "runId": run_id, "agent": "x", "adapterPath": "x", "adapterVersion": "1", "cwd": "/", "promptPreview": "",
        "model": null, "startedAt": 1, "endedAt": null, "host": {"pid": 1, "startedAt": 1}, "status": "running",
        "errorKind": null, "sessionId": null,
    });
    std::fs::write(folder.path().join("run.json"), record.to_string()).expect("a record");
    let used = serde_json::json!({
        "type": "usage", "scope": "run", "cumulative": true, "inputTokens": 10, "outputTokens": 5,
        "cacheReadTokens": 0, "cacheWriteTokens": 0, "totalTokens": 15, "model": "big", "source": "cli",
    });
    let events = [serde_json::json!({"type": "run_started"}), used];
    let lines = events.iter().enumerate().map(|(seq, event)| {
        format!("{}\n", serde_json::json!({"runId": run_id, "seq": seq, "ts": 1, "event": event}))
    });
    std::fs::write(folder.events(), lines.collect::<String>()).expect("a journal");
    folder
}

#[test]
fn half_runs_are_removed_and_those_that_begin_are_not() {
    let (_scratch, home) = scratch();
    let make = |run_id: &str| RunFolder::create(&home, run_id).expect("a run's folder");
    let (empty, journal, young, owned) =
        (make("empty"), make("journal"), make("young"), make("owned"));
    std::fs::write(journal.events(), "").expect("a journal");
    let sink = Sink::create(&owned, "owned").expect("a journal");
    let whole = dead(&home, "whole");
    for folder in [&empty, &journal, &owned, &whole] {
        rest(folder);
    }
    let hidden = home.runs().join(removed_name());
    std::fs::create_dir_all(hidden.join("sub")).expect("half a removed run");
    assert_eq!(remove_halves(&home).expect("a look"), 3);
    assert!(!empty.path().exists() && !journal.path().exists() && !hidden.exists());
    assert!(young.path().exists() && owned.path().exists() && whole.path().exists());
    drop(sink);
}

#[test]
fn half_a_run_is_neither_the_last_nor_any_other() {
    let (_scratch, home) = scratch();
    dead(&home, "a-whole-one");
    RunFolder::create(&home, "b-half-one").expect("a run's folder");
    assert_eq!(find(&home, "last").expect("a run"), "a-whole-one");
    for text in ["b-half-one", "b-"] {
        assert_eq!(find(&home, text).expect_err("no run").failure.as_str(), "run_unknown");
    }
}

#[test]
fn what_a_run_has_used_is_in_the_ledger_before_retention_removes_it() {
    let (_scratch, home) = scratch();
    let (old, kept) = (dead(&home, "a"), dead(&home, "b"));
    let retention = Retention { days: 0, max_runs: 1 };
    assert_eq!(apply_retention(&home, &retention).expect("a look"), 1);
    assert!(!old.path().exists() && kept.path().exists());
    let summary =
        usage::summarize(&home, &SummarizeUsageParams::default(), &TimeZone::UTC).expect("figures");
    assert_eq!((summary.total.runs, summary.total.total_tokens), (1, 15));
}

#[test]
fn a_run_that_goes_on_is_not_removed_however_old() {
    let (_scratch, home) = scratch();
    let folder = dead(&home, "a");
    let owner = folder.take_over().expect("a journal");
    dead(&home, "b");
    assert_eq!(apply_retention(&home, &Retention { days: 0, max_runs: 1 }).expect("a look"), 0);
    drop(owner);
    assert_eq!(apply_retention(&home, &Retention { days: 0, max_runs: 1 }).expect("a look"), 1);
}
