//! The threads on the three pipes of an agent CLI.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;

use od_protocol::MAX_LINE_BYTES;

use super::core::{RunCore, Wake};
use super::tail::Tail;
use crate::lines::LineReader;
use crate::outbox::Outbox;
use crate::output::StdinCommand;

/// Copies what is read to a trace file, when one is asked for.
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
            tracing::warn!(%error, "the trace file cannot be written; tracing stops");
            self.trace = None;
        }
        Ok(count)
    }
}

/// Reads and maps stdout until its end.
pub(crate) fn read_stdout(
    core: Arc<RunCore>,
    stdout: ChildStdout,
    trace: Option<File>,
    outbox: Outbox,
) {
    thread::spawn(move || {
        let cap = usize::try_from(MAX_LINE_BYTES).unwrap_or(usize::MAX);
        let mut reader = LineReader::new(Traced { source: stdout, trace }, cap);
        loop {
            outbox.wait_for_room();
            if !reader.fill() {
                break;
            }
            core.note_speech();
            core.map_lines(|each| reader.each_line(each));
        }
        core.map_lines(|each| reader.last_line(each));
        core.tell_oversized(reader.oversized);
        core.wake(Wake::StdoutEnded);
    });
}

/// Reads stderr until its end and keeps its tail.
pub(crate) fn read_stderr(core: Arc<RunCore>, stderr: ChildStderr, tail: Arc<Tail>) {
    tail.begin();
    thread::spawn(move || {
        let mut reader = LineReader::new(stderr, 1024 * 1024);
        let each = |line: &[u8]| {
            tail.push(line);
            core.map_stderr_line(line);
        };
        while reader.fill() {
            core.note_output();
            reader.each_line(each);
        }
        reader.last_line(each);
        tail.end();
    });
}

/// Writes stdin until it is closed. A CLI that reads no more is no failure of the run.
pub(crate) fn write_stdin(mut stdin: ChildStdin, commands: Receiver<StdinCommand>) {
    thread::spawn(move || {
        for command in commands {
            match command {
                StdinCommand::Write(bytes) => {
                    if let Err(error) = stdin.write_all(&bytes).and_then(|()| stdin.flush()) {
                        tracing::debug!(%error, "the agent CLI reads no more");
                        return;
                    }
                }
                StdinCommand::Close => return,
            }
        }
    });
}
