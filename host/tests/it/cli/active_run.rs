//! Active runs: signals, closed pipes, and other processes that attach, send input and cancel.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout};

use rustix::process::{Pid, Signal, kill_process};

use super::scratch::{Finished, Scratch};

/// An `od-host run` that has printed its first events.
struct ActiveRun {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl ActiveRun {
    /// Starts a run and waits until this event is on stdout.
    fn until(scratch: &Scratch, arguments: &[&str], event: &str) -> Self {
        let mut child =
            scratch.spawn(&[&["run", "-a", "x", "--output", "jsonl"], arguments].concat());
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        while !line.contains(event) {
            line.clear();
            assert_ne!(stdout.read_line(&mut line).expect("UTF-8"), 0, "it ended without {event}");
        }
        Self { child, stdout }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("the process exists");
    }

    fn finish(mut self) -> Finished {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("UTF-8");
        let mut finished = Finished::of(self.child.wait_with_output().expect("it ends"));
        finished.stdout = rest;
        finished
    }
}

fn last_event(scratch: &Scratch) -> String {
    let finished = scratch.od_host(&["replay", "last", "--output", "jsonl"]).exits_with(0);
    finished.stdout.lines().last().expect("an event").to_owned()
}

#[test]
fn signals_cancel_run() {
    let scratch = Scratch::with_adapter("x", "waits");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let run = ActiveRun::until(&scratch, &["go"], "waiting");
        run.signal(signal);
        let finished = run.finish().exits_with(130);
        assert!(finished.stdout.contains(r#""status":"cancelled""#), "{}", finished.stdout);
        assert!(finished.stderr.contains("cancelling"), "{}", finished.stderr);
    }
}

#[test]
fn second_signal_kills_unresponsive_agent() {
    let scratch = Scratch::with_adapter("x", "ignores_cancel");
    let mut run = ActiveRun::until(&scratch, &["go"], "waiting");
    let mut stderr = BufReader::new(run.child.stderr.take().expect("a pipe"));
    run.signal(Signal::INT);
    let mut line = String::new();
    stderr.read_line(&mut line).expect("UTF-8");
    assert!(line.contains("cancelling"), "{line}");
    run.signal(Signal::INT);
    run.finish().exits_with(130);
    assert!(last_event(&scratch).contains(r#""status":"cancelled""#));
}

#[test]
fn closed_stdout_cancels_run() {
    let scratch = Scratch::with_adapter("x", "fills");
    let ActiveRun { mut child, stdout } = ActiveRun::until(&scratch, &["go"], "xxx");
    drop(stdout);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let last = last_event(&scratch);
    assert!(last.contains(r#""type":"done""#) && last.contains("cancelled"), "{last}");
}

#[test]
fn stalled_stdout_reader_does_not_block_signals() {
    let scratch = Scratch::with_adapter("x", "fills");
    let ActiveRun { mut child, stdout } = ActiveRun::until(&scratch, &["go"], "xxx");
    kill_process(Pid::from_child(&child), Signal::INT).expect("the process exists");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    drop(stdout);
    assert!(last_event(&scratch).contains(r#""status":"cancelled""#));
}

#[test]
fn closed_stderr_is_ignored() {
    let scratch = Scratch::with_adapter("x", "asks");
    let mut child = scratch.spawn(&["run", "-a", "x", "go"]);
    drop(child.stderr.take());
    let finished = Finished::of(child.wait_with_output().expect("it ends")).exits_with(0);
    assert!(finished.stdout.contains("→ denied"), "{}", finished.stdout);
}

#[test]
fn other_process_attaches_and_cancels() {
    let scratch = Scratch::with_adapter("x", "waits");
    let run = ActiveRun::until(&scratch, &["go"], "waiting");
    let mut observer = scratch.spawn(&["attach", "last", "--output", "jsonl"]);
    let mut seen = BufReader::new(observer.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("waiting") {
        line.clear();
        assert_ne!(seen.read_line(&mut line).expect("UTF-8"), 0, "it ended early");
    }
    let finished = scratch.od_host(&["cancel", "last"]).exits_with(0);
    assert!(finished.stdout.ends_with(" cancelled\n"), "{}", finished.stdout);
    run.finish().exits_with(130);
    assert_eq!(observer.wait().expect("it ends").code(), Some(130));
}

#[test]
fn detaching_keeps_run_active() {
    let scratch = Scratch::with_adapter("x", "waits");
    let run = ActiveRun::until(&scratch, &["go"], "waiting");
    let mut observer = scratch.spawn(&["attach", "last", "--output", "jsonl"]);
    let mut first = String::new();
    BufReader::new(observer.stdout.as_mut().expect("a pipe")).read_line(&mut first).expect("UTF-8");
    kill_process(Pid::from_child(&observer), Signal::INT).expect("the process exists");
    let finished = Finished::of(observer.wait_with_output().expect("it ends")).exits_with(130);
    assert!(finished.stderr.contains("the run continues"), "{}", finished.stderr);
    let finished = scratch.od_host(&["input", "last", "finish"]).exits_with(0);
    assert_eq!(finished.stdout, "the agent reads it now\n");
    run.finish().exits_with(0);
}

#[test]
fn input_to_ended_run_is_refused() {
    let scratch = Scratch::with_adapter("x", "good");
    scratch.od_host(&["run", "-a", "x", "--output", "quiet", "go"]).exits_with(0);
    let finished = scratch.od_host(&["input", "last", "more"]);
    assert_ne!(finished.code, Some(0));
    assert!(finished.stderr.contains("error: "), "{}", finished.stderr);
}
