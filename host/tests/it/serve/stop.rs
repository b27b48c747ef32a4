//! The shutdown of a served host with active, queued, unresponsive and completing runs: no process is left.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::processes::{eventually, processes_below};
use super::server_process::ServeProcess;
use crate::cli::scratch::Scratch;

/// A host with one active run.
fn with_run(mode: &str, arguments: &[&str]) -> (ServeProcess, String) {
    let host = ServeProcess::start(Scratch::with_adapter("x", mode), arguments);
    let run_id = host.start_run("go");
    eventually(|| last_event(&host, &run_id), |last| last["type"] == "text_delta");
    (host, run_id)
}

/// From the journal, because the host has exited.
fn last_event(host: &ServeProcess, run_id: &str) -> Value {
    let journal = host.scratch.path("od/runs").join(run_id).join("events.jsonl");
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    let mut last: Value = text
        .lines()
        .last()
        .map_or(Value::Null, |line| serde_json::from_str(line).unwrap_or_default());
    last["event"].take()
}

#[test]
fn signal_cancels_active_and_queued_runs() {
    let scratch = Scratch::with_adapter("x", "waits");
    scratch.write_settings("[limits]\nmaxRuns = 1\n");
    let mut host = ServeProcess::start(scratch, &["--drain", "0"]);
    let runs = [host.start_run("go"), host.start_run("go")];
    host.signal(Signal::TERM);
    assert_eq!(host.wait(), Some(0));
    for run_id in &runs {
        assert_eq!(last_event(&host, run_id)["status"], "cancelled");
    }
    assert_eq!(processes_below(&host.scratch.path("")), []);
}

#[test]
fn unresponsive_adapter_is_killed_on_stop() {
    let (mut host, run_id) = with_run("ignores_cancel", &["--drain", "0"]);
    host.signal(Signal::TERM);
    assert_eq!(host.wait(), Some(0));
    assert_eq!(last_event(&host, &run_id)["status"], "cancelled");
    assert_eq!(processes_below(&host.scratch.path("")), []);
}

#[test]
fn draining_run_completes_and_reader_sees_it() {
    let (mut host, run_id) = with_run("waits", &["--drain", "3600"]);
    let events = std::thread::scope(|scope| {
        let reader = scope.spawn(|| host.events(&run_id, 0));
        host.signal(Signal::TERM);
        eventually(
            || host.call("host/info", json!({})).expect("it still answers"),
            |info| info["draining"] == true,
        );
        let late = host.call("runs/start", host.task("go")).expect_err("no more runs");
        assert_eq!(late["data"]["kind"], "shutting_down", "{late}");
        host.call("runs/input", json!({"runId": run_id, "text": "finish"}))
            .expect("the host listens");
        reader.join().expect("a reader")
    });
    assert_eq!(events.last().expect("an end")["event"]["status"], "completed");
    assert_eq!(host.wait(), Some(0));
}
