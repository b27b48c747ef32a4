//! Runs of a killed host, and retention.

use std::fs::{File, FileTimes};

use jiff::tz::TimeZone;
use od_protocol::api::SummarizeUsageParams;

use super::*;
use crate::journal::RunRecord;
use crate::journal::writer::JournalWriter;
use crate::run::recover;
use crate::usage;

/// Makes a folder look unchanged for two minutes.
fn age_folder(folder: &RunFolder) {
    let times = FileTimes::new().set_modified(SystemTime::now() - 2 * MAX_CREATION_TIME);
    let opened = File::open(folder.path()).expect("a folder");
    opened.set_times(times).expect("another time");
}

/// A run with usage whose host died.
fn orphaned_run(home: &OdHome, run_id: &str) -> RunFolder {
    let folder = RunFolder::create(home, run_id).expect("a run's folder");
    folder.write_record(&RunRecord::running(run_id)).expect("a record");
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
fn only_incomplete_runs_are_removed() {
    let (_scratch, home) = OdHome::temporary();
    let make = |run_id: &str| RunFolder::create(&home, run_id).expect("a run's folder");
    let (empty, journal, young, owned) =
        (make("empty"), make("journal"), make("young"), make("owned"));
    std::fs::write(journal.events(), "").expect("a journal");
    let writer = JournalWriter::create(&owned, "owned").expect("a journal");
    let whole = orphaned_run(&home, "whole");
    for folder in [&empty, &journal, &owned, &whole] {
        age_folder(folder);
    }
    let hidden = home.runs().join(removed_name());
    std::fs::create_dir_all(hidden.join("sub")).expect("a folder");
    assert_eq!(remove_incomplete(&home).expect("a result"), 3);
    assert!(!empty.path().exists() && !journal.path().exists() && !hidden.exists());
    assert!(young.path().exists() && owned.path().exists() && whole.path().exists());
    drop(writer);
}

#[test]
fn incomplete_run_is_not_found() {
    let (_scratch, home) = OdHome::temporary();
    orphaned_run(&home, "a-complete-run");
    RunFolder::create(&home, "b-incomplete-run").expect("a run's folder");
    assert_eq!(find(&home, "last").expect("a run"), "a-complete-run");
    for text in ["b-incomplete-run", "b-"] {
        assert_eq!(find(&home, text).expect_err("no run").failure.as_str(), "run_unknown");
    }
}

#[test]
fn retention_records_usage_before_removal() {
    let (_scratch, home) = OdHome::temporary();
    let (old, kept) = (orphaned_run(&home, "a"), orphaned_run(&home, "b"));
    let retention = Retention { days: 0, max_runs: 1 };
    assert_eq!(apply_retention(&home, &retention, recover::settle).expect("a result"), 1);
    assert!(!old.path().exists() && kept.path().exists());
    let summary =
        usage::summarize(&home, &SummarizeUsageParams::default(), &TimeZone::UTC).expect("figures");
    assert_eq!((summary.total.runs, summary.total.total_tokens), (1, 15));
}

#[test]
fn retention_keeps_running_runs() {
    let (_scratch, home) = OdHome::temporary();
    let folder = orphaned_run(&home, "a");
    let owner = folder.take_over().expect("a journal");
    orphaned_run(&home, "b");
    assert_eq!(
        apply_retention(&home, &Retention { days: 0, max_runs: 1 }, recover::settle)
            .expect("a result"),
        0
    );
    drop(owner);
    assert_eq!(
        apply_retention(&home, &Retention { days: 0, max_runs: 1 }, recover::settle)
            .expect("a result"),
        1
    );
}
