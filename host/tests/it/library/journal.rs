//! The journal on disk: after a host died, on a full disk, with damage, and after its retention.

use std::io::Write;

use od_host::journal::RunStatus;
use od_host::run::{HOST_DIED, JOURNAL_FAILED};
use od_protocol::{Event, RunEventParams};

use super::stage::{Stage, assert_whole, block_on, types};

/// An ended run with its id; tests then change its journal.
fn finished(stage: &Stage) -> String {
    block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        run.wait().await;
        run.id().to_owned()
    })
}

/// Makes an ended run look as if its host had died in the middle of a line after `lines` events.
fn cut(stage: &Stage, run_id: &str, lines: usize, half: &[u8]) {
    let path = stage.events_file(run_id);
    let journal = std::fs::read_to_string(&path).expect("a journal");
    let mut kept: Vec<u8> = journal.split_inclusive('\n').take(lines).collect::<String>().into();
    kept.extend_from_slice(half);
    std::fs::write(&path, kept).expect("a journal");
    let record = stage.home().run(run_id).join("run.json");
    let text = std::fs::read_to_string(&record).expect("a record");
    std::fs::write(record, text.replace("\"completed\"", "\"running\"")).expect("a record");
}

fn read(stage: &Stage, run_id: &str) -> (Vec<RunEventParams>, u64) {
    let mut reader = stage.host().events(run_id, 0).expect("a reader");
    let mut events = Vec::new();
    block_on(async {
        while let Some(event) = reader.next().await.expect("an event") {
            events.push(event.parse().expect("a whole event"));
        }
    });
    (events, reader.damaged_lines())
}

#[test]
fn run_of_dead_host_is_closed_on_read() {
    for (lines, half) in
        [(0, &b""[..]), (1, b""), (3, b""), (2, b"{\"runId\":\"to"), (1, b"\0\0\0")]
    {
        let stage = Stage::with("x", "good");
        let run_id = finished(&stage);
        cut(&stage, &run_id, lines, half);
        let record = stage.host().find_run(&run_id).expect("a record");
        assert_eq!(record.status, RunStatus::Failed);
        assert_eq!(record.error_kind.as_ref().map(|kind| kind.as_str()), Some(HOST_DIED));
        let (events, damaged) = read(&stage, &run_id);
        assert_whole(&events);
        assert_eq!((events.len(), damaged), (lines.max(1) + 2, 0), "{lines} lines and {half:?}");
        let Some(Event::Error(error)) = events.iter().rev().nth(1).map(|params| &params.event)
        else {
            panic!("no error: {:?}", types(&events));
        };
        assert!(error.hint.is_some());
    }
}

#[test]
fn concurrent_readers_agree_on_end() {
    for _ in 0..10 {
        let stage = Stage::with("x", "good");
        let run_id = finished(&stage);
        cut(&stage, &run_id, 3, b"");
        let host = stage.host();
        let barrier = std::sync::Barrier::new(8);
        let read_status = || {
            barrier.wait();
            host.find_run(&run_id).expect("a record").status
        };
        let seen: Vec<RunStatus> = std::thread::scope(|scope| {
            let readers: Vec<_> = (0..8).map(|_| scope.spawn(read_status)).collect();
            readers.into_iter().map(|reader| reader.join().expect("a status")).collect()
        });
        assert_eq!(seen, [RunStatus::Failed; 8]);
        assert_eq!(read(&stage, &run_id).0.len(), 5, "it is closed once");
    }
}

#[test]
fn ended_journal_with_old_record_closes_once() {
    let stage = Stage::with("x", "good");
    let run_id = finished(&stage);
    cut(&stage, &run_id, 4, b"");
    assert_eq!(stage.host().runs().expect("runs")[0].status, RunStatus::Completed);
    assert_eq!(read(&stage, &run_id).0.len(), 4);
}

#[test]
fn damaged_lines_are_skipped_and_counted() {
    let stage = Stage::with("x", "good");
    let run_id = finished(&stage);
    let path = stage.events_file(&run_id);
    let journal = std::fs::read_to_string(&path).expect("a journal");
    let mut lines: Vec<&str> = journal.lines().collect();
    lines.insert(2, "\u{1}\u{2} no event");
    std::fs::write(&path, format!("{}\n", lines.join("\n"))).expect("a journal");
    let (events, damaged) = read(&stage, &run_id);
    assert_whole(&events);
    assert_eq!((events.len(), damaged), (4, 1));
}

#[test]
fn damaged_record_hides_no_other_run() {
    let stage = Stage::with("x", "good");
    let (one, two) = (finished(&stage), finished(&stage));
    std::fs::write(stage.home().run(&one).join("run.json"), "{").expect("damage");
    let runs = stage.host().runs().expect("runs");
    assert_eq!(runs.iter().map(|record| &record.run_id).collect::<Vec<_>>(), [&two]);
    let error = stage.host().find_run(&one).expect_err("it cannot be read");
    assert!(error.failure.as_str() == "storage" && error.hint.is_some(), "{error:?}");
}

#[test]
fn retention_removes_old_and_surplus_runs() {
    let stage = Stage::with("x", "good");
    stage.write_settings("[retention]\nmaxRuns = 2\ndays = 10\n");
    // The id contains the time: this one is from 2020.
    let old = stage.home().run("016f5e66-e800-7000-8000-000000000000");
    std::fs::create_dir_all(&old).expect("a run");
    let ids: Vec<String> = (0..4).map(|_| finished(&stage)).collect();
    assert!(!old.exists());
    let left: Vec<String> =
        stage.host().runs().expect("runs").into_iter().map(|record| record.run_id).collect();
    assert!(left.contains(&ids[3]) && !left.contains(&ids[0]), "{left:?}");
}

/// A limit on the file size simulates a full disk: it needs no privileges, and writes fail half-way.
#[cfg(unix)]
#[test]
fn full_disk_ends_run_without_losing_events() {
    let stage = Stage::with("x", "fills");
    std::fs::create_dir_all(stage.home().root()).expect("a home");
    let limit = "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"";
    let (mut host, run_id) = super::control::other_host(&stage, &["sh", "-c", limit]);
    let mut printed = Vec::new();
    std::io::copy(host.stdout.as_mut().expect("a pipe"), &mut printed).expect("its output");
    assert_eq!(host.wait().expect("an end").code(), Some(1));

    // The client of this process read every event, including those that did not fit.
    let printed = String::from_utf8(printed).expect("UTF-8");
    let last = |text: &str| -> Vec<RunEventParams> {
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(2)..]
            .iter()
            .map(|line| serde_json::from_str(line).expect("an event"))
            .collect()
    };
    let [error, done] = &last(&printed)[..] else { panic!("{printed}") };
    let Event::Error(error) = &error.event else { panic!("{error:?}") };
    assert_eq!((error.kind.as_str(), done.event.type_name()), (JOURNAL_FAILED, "done"));
    assert!(error.hint.is_some());

    // The disk has whole events only, and the next read closes the journal.
    let journal = std::fs::read(stage.events_file(&run_id)).expect("a journal");
    assert!(journal.ends_with(b"}\n") && journal.len() <= 128 * 1024);
    let (events, damaged) = read(&stage, &run_id);
    assert_whole(&events);
    assert!(events.len() > 50 && damaged == 0);
    assert_eq!(stage.host().find_run(&run_id).expect("a record").status, RunStatus::Failed);
}

#[cfg(unix)]
#[test]
fn full_disk_hides_no_orphaned_run() {
    let stage = Stage::with("x", "good");
    let run_id = finished(&stage);
    cut(&stage, &run_id, 2, b"{\"half");
    let limit = "trap '' XFSZ; ulimit -f 0; exec \"$0\" runs --json";
    let mut listing = std::process::Command::new("sh");
    listing.args(["-c", limit, env!("CARGO_BIN_EXE_od-host")]).env_clear();
    listing.env("PATH", "/usr/bin:/bin").env("HOME", stage.work());
    let listing = listing.env("OD_HOME", stage.home().root()).output().expect("a list");
    let listed = String::from_utf8(listing.stdout).expect("UTF-8");
    assert!(listed.contains(&run_id) && listed.contains("\"failed\""), "{listed}");
    let journal = std::fs::read_to_string(stage.events_file(&run_id)).expect("a journal");
    assert_eq!(journal.lines().count(), 2, "whole events only: {journal}");

    // With free space it is closed.
    assert_eq!(stage.host().find_run(&run_id).expect("a record").status, RunStatus::Failed);
    assert_whole(&read(&stage, &run_id).0);
}

#[test]
fn other_process_reads_only_whole_lines() {
    let stage = Stage::with("x", "good");
    let run_id = finished(&stage);
    let path = stage.events_file(&run_id);
    let journal = std::fs::read(&path).expect("a journal");
    std::fs::write(&path, &journal[..journal.len() - 9]).expect("half a journal");
    let mut reader = stage.host().events(&run_id, 3).expect("a reader");
    assert!(reader.next_ready().expect("readable").is_none());
    let mut file = std::fs::File::options().append(true).open(&path).expect("a journal");
    file.write_all(&journal[journal.len() - 9..]).expect("the rest");
    let mut reader = stage.host().events(&run_id, 3).expect("a reader");
    assert_eq!(reader.next_ready().expect("readable").map(|event| event.seq), Some(3));
}
