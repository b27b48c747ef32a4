//! The end of a served host whose runs go on, wait, do not listen, or come to their own end: nothing of them is left.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::processes::{eventually, processes_below};
use super::stage::ServeProcess;
use crate::cli::scratch::Scratch;

/// A host with one run that goes on.
fn with_run(mode: &str, arguments: &[&str]) -> (ServeProcess, String) {
    let host = ServeProcess::start(Scratch::with_adapter("x", mode), arguments);
    let run_id = host.start_run("go");
    eventually(|| last_event(&host, &run_id), |last| last["type"] == "text_delta");
    (host, run_id)
}

/// The journal itself, because nobody answers any more.
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
fn a_signal_cancels_what_goes_on_and_what_waits() {
    let scratch = Scratch::with_adapter("x", "waits");
    std::fs::write(scratch.path("od/settings.toml"), "[limits]\nmaxRuns = 1\n").expect("settings");
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
fn an_adapter_that_does_not_listen_is_ended_too() {
    let (mut host, run_id) = with_run("deaf", &["--drain", "0"]);
    host.signal(Signal::TERM);
    assert_eq!(host.wait(), Some(0));
    assert_eq!(last_event(&host, &run_id)["status"], "cancelled");
    assert_eq!(processes_below(&host.scratch.path("")), []);
}

#[test]
fn a_run_may_come_to_its_end_and_a_reader_sees_it() {
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
        host.call("runs/input", json!({"runId": run_id, "text": "finish"})).expect("it listens");
        reader.join().expect("a reader")
    });
    assert_eq!(events.last().expect("an end")["event"]["status"], "completed");
    assert_eq!(host.wait(), Some(0));
}
