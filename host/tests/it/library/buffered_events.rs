//! Events that are buffered until it is known whether another attempt follows: a crash of the host loses none.

#[cfg(unix)]
use std::time::Duration;

#[cfg(unix)]
use od_host::journal::RunStatus;
use od_protocol::ErrorKind;
#[cfg(unix)]
use od_protocol::RunEventParams;

#[cfg(unix)]
use super::attempts::errors;
use super::stage::{Stage, block_on};
#[cfg(unix)]
use super::stage::{assert_whole, types};

/// Starts a host with a retry policy in a separate process, kills it as soon as a file of its run contains the text, and
/// returns the events and the error kind of the run.
#[cfg(unix)]
fn killed(mode: &str, file: &str, text: &str) -> (Vec<RunEventParams>, Option<ErrorKind>) {
    let stage = Stage::with("x", mode);
    let mut owner = std::process::Command::new(env!("CARGO_BIN_EXE_od-host"))
        .args(["run", "-a", "x", "--retry", "2", "--output", "quiet", "go", "--adapter-dir"])
        .arg(stage.adapters())
        .arg("--home")
        .arg(stage.home().root())
        .current_dir(stage.work())
        .spawn()
        .expect("another host");
    let has_text = || {
        let run = std::fs::read_dir(stage.home().runs()).ok()?.next()?.ok()?.path();
        std::fs::read_to_string(run.join(file)).ok()?.contains(text).then_some(())
    };
    while has_text().is_none() {
        assert!(owner.try_wait().expect("a status").is_none(), "it has not ended yet");
        std::thread::sleep(Duration::from_millis(5));
    }
    owner.kill().expect("it can be killed");
    owner.wait().expect("an end");

    let host = stage.host();
    let record = host.find_run("last").expect("a record");
    assert_eq!(record.status, RunStatus::Failed);
    let events = block_on(super::control::attach(&host, &record.run_id));
    assert_whole(&events);
    assert!(!stage.home().run(&record.run_id).join("held.jsonl").exists());
    (events, record.error_kind)
}

#[cfg(unix)]
#[test]
fn buffered_events_survive_host_crash() {
    let (events, kind) = killed("lingers rate_limited", "held.jsonl", "\"fatal\":true");
    assert_eq!(types(&events), ["run_started", "error", "done"]);
    let [error] = errors(&events)[..] else { panic!("one error") };
    assert_eq!((&error.kind, error.fatal), (&ErrorKind::RateLimited, true));
    assert_eq!(kind, Some(ErrorKind::RateLimited));
}

#[cfg(unix)]
#[test]
fn host_crash_between_attempts_leaves_complete_journal() {
    let (events, kind) = killed("limited 1800000", "events.jsonl", "\"waiting\"");
    assert_eq!(kind.as_ref().map(ErrorKind::as_str), Some(od_host::run::HOST_DIED));
    let fatal: Vec<bool> = errors(&events).iter().map(|error| error.fatal).collect();
    assert_eq!(fatal, [false, true]);
}

#[test]
fn buffered_events_are_written_once() {
    let stage = Stage::with("x", "fails cli_crashed");
    let run_id = block_on(async {
        let run = stage.start(&stage.host()).await.expect("a run");
        run.wait().await;
        run.id().to_owned()
    });
    let folder = stage.home().run(&run_id);
    let whole = std::fs::read_to_string(stage.events_file(&run_id)).expect("a journal");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    // The host died after it had written a part of the buffered events.
    std::fs::write(folder.join("events.jsonl"), lines[..3].concat()).expect("a journal");
    std::fs::write(folder.join("held.jsonl"), lines[2..].concat()).expect("the buffered events");
    let record = std::fs::read_to_string(folder.join("run.json")).expect("a record");
    let record = record.replace("\"status\":\"failed\"", "\"status\":\"running\"");
    std::fs::write(folder.join("run.json"), record).expect("a record");
    let record = stage.host().find_run(&run_id).expect("a record");
    assert_eq!(record.error_kind, Some(ErrorKind::CliCrashed));
    assert_eq!(std::fs::read_to_string(stage.events_file(&run_id)).expect("a journal"), whole);
}
