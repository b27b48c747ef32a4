//! The three pipes of the agent CLI, one thread each, and the wait for its exit.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::fault::{Behaviour, Fault};
use super::lines::Lines;
use super::run::Command;

/// The maximum number of kept bytes of stderr.
const MAX_STDERR_BYTES: usize = 4096;
/// The maximum number of bytes per read.
const MAX_READ_BYTES: usize = 64 * 1024;

/// The end of stderr.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    pub(super) fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = bytes.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    fn push(&self, chunk: &[u8]) {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend(&chunk[chunk.len().saturating_sub(MAX_STDERR_BYTES)..]);
        let excess = bytes.len().saturating_sub(MAX_STDERR_BYTES);
        bytes.drain(..excess);
    }
}

/// What the run uses.
pub(super) struct Pipes {
    /// Lines for the agent CLI's stdin; dropping it closes stdin.
    pub(super) input: Sender<Vec<u8>>,
    pub(super) tail: Tail,
    /// A read is being processed.
    pub(super) is_reading: Arc<AtomicBool>,
}

/// Starts the threads. They end by themselves when the agent CLI does.
pub(super) fn connect(mut child: Child, behaviour: Behaviour, run: &Sender<Command>) -> Pipes {
    let (input, lines) = channel();
    let tail = Tail::default();
    let is_reading = Arc::new(AtomicBool::new(false));
    if let Some(stdin) = child.stdin.take() {
        let run = run.clone();
        std::thread::spawn(move || write_input(stdin, &lines, &run));
    }
    if let Some(stdout) = child.stdout.take() {
        let run = run.clone();
        let is_reading = Arc::clone(&is_reading);
        std::thread::spawn(move || read_output(stdout, behaviour, &run, &is_reading));
    }
    let stderr = child.stderr.take();
    if behaviour.has(Fault::StderrUndrained) {
        // The pipe stays open and fills.
        std::mem::forget(stderr);
    } else if let Some(stderr) = stderr {
        let tail = tail.clone();
        let merged = behaviour.has(Fault::MergesStderr).then(|| run.clone());
        std::thread::spawn(move || read_errors(stderr, &tail, merged.as_ref()));
    }
    let run = run.clone();
    std::thread::spawn(move || {
        // A run that has ended does not need the status.
        let _ended = run.send(Command::Exited(child.wait().ok()));
    });
    Pipes { input, tail, is_reading }
}

/// An agent CLI may close its stdin: the rest is dropped without an error.
fn write_input(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>, run: &Sender<Command>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            let _ended = run.send(Command::InputRefused);
            return;
        }
    }
}

fn read_output(
    mut stdout: ChildStdout,
    behaviour: Behaviour,
    run: &Sender<Command>,
    is_reading: &AtomicBool,
) {
    let mut lines = Lines::new(behaviour);
    let mut chunk = vec![0; MAX_READ_BYTES];
    loop {
        let count = match stdout.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        is_reading.store(true, Ordering::Release);
        let whole = lines.push(&chunk[..count]).into_iter().map(Command::Line);
        // An incomplete line means that more follows, and a long line takes long to process.
        for command in whole.chain([Command::MoreOutput]) {
            if run.send(command).is_err() {
                return;
            }
        }
        is_reading.store(false, Ordering::Release);
    }
    let rest = lines.finish().map(Command::Line);
    for command in rest.into_iter().chain([Command::OutputEnded]) {
        let _ended = run.send(command);
    }
}

fn read_errors(mut stderr: ChildStderr, tail: &Tail, merged: Option<&Sender<Command>>) {
    let mut chunk = vec![0; MAX_READ_BYTES];
    while let Ok(count) = stderr.read(&mut chunk) {
        if count == 0 {
            return;
        }
        tail.push(&chunk[..count]);
        if let Some(run) = merged {
            let text = String::from_utf8_lossy(&chunk[..count]).into_owned();
            // The fault: a run that has ended does not receive them.
            text.lines().for_each(|line| drop(run.send(Command::Line(line.to_owned()))));
        }
    }
}
