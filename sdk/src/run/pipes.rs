//! The threads on the three pipes of an agent CLI.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;

use od_os::lines::LineReader;
use od_protocol::MAX_LINE_BYTES;

use super::state::{RunState, Wake};
use super::stderr_tail::StderrTail;
use crate::outbox::Outbox;
use crate::output::StdinCommand;

/// A longer line of stderr is dropped.
const MAX_STDERR_LINE_BYTES: usize = 1024 * 1024;

/// Copies what is read to a trace file, if there is one.
struct Traced<R> {
    source: R,
    trace: Option<File>,
}

impl<R: Read> Read for Traced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.source.read(buffer)?;
        if let Some(trace) = &mut self.trace
            && let Err(error) = trace.write_all(&buffer[..count])
        {
            tracing::warn!(%error, "cannot write the trace file; tracing stops");
            self.trace = None;
        }
        Ok(count)
    }
}

/// Reads and maps stdout until its end.
pub(super) fn read_stdout(
    state: Arc<RunState>,
    stdout: ChildStdout,
    trace: Option<File>,
    outbox: Outbox,
) {
    thread::spawn(move || {
        let limit = usize::try_from(MAX_LINE_BYTES).unwrap_or(usize::MAX);
        let mut reader = LineReader::new(Traced { source: stdout, trace }, limit);
        loop {
            outbox.wait_for_space();
            if !reader.fill() {
                break;
            }
            state.mark_stdout();
            state.map_lines(|each| reader.each_line(each));
        }
        state.map_lines(|each| reader.last_line(each));
        state.report_oversized(reader.oversized());
        state.wake(Wake::StdoutEnded);
    });
}

/// Reads and maps stderr until its end and keeps its tail.
pub(super) fn read_stderr(state: Arc<RunState>, stderr: ChildStderr, tail: Arc<StderrTail>) {
    tail.begin();
    thread::spawn(move || {
        let mut reader = LineReader::new(stderr, MAX_STDERR_LINE_BYTES);
        let each = |line: &[u8]| {
            tail.push(line);
            state.map_stderr_line(line);
        };
        while reader.fill() {
            state.mark_activity();
            reader.each_line(each);
        }
        reader.last_line(each);
        tail.end();
    });
}

/// Writes stdin until it is closed. A CLI that has closed stdin does not fail the run.
pub(super) fn write_stdin(mut stdin: ChildStdin, commands: Receiver<StdinCommand>) {
    thread::spawn(move || {
        for command in commands {
            match command {
                StdinCommand::Write(bytes) => {
                    if let Err(error) = stdin.write_all(&bytes).and_then(|()| stdin.flush()) {
                        tracing::debug!(%error, "the agent CLI has closed stdin");
                        return;
                    }
                }
                StdinCommand::Close => return,
            }
        }
    });
}
