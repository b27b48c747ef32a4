//! The threads that move bytes between the suite and an adapter. Whatever the adapter does, the
//! suite neither blocks nor grows without bound.

use std::io::{Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::connection::StderrChecker;
use crate::transcript::{Source, Transcript};

/// The maximum size of a line: the protocol's limit and a reserve.
pub(super) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024 + 1024;

/// How many lines are queued before the adapter is blocked.
const MAX_QUEUED_LINES: usize = 4096;

/// How many bytes of a line on stderr are kept.
const MAX_STDERR_LINE_BYTES: usize = 4096;

/// Something read from the adapter's stdout.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A line without its line feed.
    Line {
        bytes: Vec<u8>,
        /// When it was complete.
        at: Instant,
    },
    /// A line beyond the limit; its bytes were dropped.
    Oversized { bytes: usize },
    /// Bytes after the last line feed, at the end of the output.
    Unterminated { bytes: Vec<u8> },
    /// The adapter closed its stdout.
    End,
}

/// A command to the writing thread.
pub(super) enum Outgoing {
    /// Write these bytes.
    Bytes(Vec<u8>),
    /// Close the adapter's stdin.
    Close,
}

/// Starts the thread that writes to the adapter.
pub(super) fn start_writer(mut stdin: ChildStdin) -> Sender<Outgoing> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for outgoing in receiver {
            match outgoing {
                // If the adapter no longer reads, the checks report it.
                Outgoing::Bytes(bytes) => {
                    if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                        return;
                    }
                }
                Outgoing::Close => return,
            }
        }
    });
    sender
}

/// Starts the thread that reads the adapter's stdout, except while it is stalled.
pub(super) fn start_reader(stdout: ChildStdout, stall: Stall) -> Receiver<Incoming> {
    let (sender, receiver) = sync_channel(MAX_QUEUED_LINES);
    std::thread::spawn(move || read_lines(stdout, &stall, &sender));
    receiver
}

/// Pauses the reading thread, so that the adapter's pipe fills up.
#[derive(Debug, Clone, Default)]
pub(super) struct Stall(Arc<(Mutex<bool>, Condvar)>);

impl Stall {
    /// Starts or ends the pause.
    pub(super) fn set(&self, is_stalled: bool) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = is_stalled;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        let stalled = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The holder of a poisoned lock has ended, so reading continues.
        drop(self.0.1.wait_while(stalled, |is_stalled| *is_stalled));
    }
}

fn read_lines(mut stdout: impl Read, stall: &Stall, sender: &SyncSender<Incoming>) {
    let mut splitter = Splitter::default();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        stall.wait();
        let count = match stdout.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        for incoming in splitter.push(&buffer[..count]) {
            if sender.send(incoming).is_err() {
                return;
            }
        }
    }
    for incoming in splitter.finish() {
        if sender.send(incoming).is_err() {
            return;
        }
    }
}

/// Splits bytes into lines of bounded length.
#[derive(Debug, Default)]
struct Splitter {
    line: Vec<u8>,
    dropped: usize,
}

impl Splitter {
    fn push(&mut self, mut bytes: &[u8]) -> Vec<Incoming> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.append(&bytes[..end]);
            bytes = &bytes[end + 1..];
            lines.push(self.take_line());
        }
        self.append(bytes);
        lines
    }

    fn finish(&mut self) -> Vec<Incoming> {
        let rest = match (std::mem::take(&mut self.line), self.dropped) {
            (bytes, 0) if bytes.is_empty() => None,
            (bytes, 0) => Some(Incoming::Unterminated { bytes }),
            (_, bytes) => Some(Incoming::Oversized { bytes }),
        };
        rest.into_iter().chain([Incoming::End]).collect()
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.dropped > 0 || self.line.len() + bytes.len() > MAX_LINE_BYTES {
            self.dropped += self.line.len() + bytes.len();
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn take_line(&mut self) -> Incoming {
        let (bytes, dropped) = (std::mem::take(&mut self.line), std::mem::take(&mut self.dropped));
        match dropped {
            0 => Incoming::Line { bytes, at: Instant::now() },
            bytes => Incoming::Oversized { bytes },
        }
    }
}

/// Starts the thread that checks the adapter's stderr and writes it into the transcript.
pub(super) fn start_stderr(mut stderr: ChildStderr, transcript: Transcript, check: StderrChecker) {
    std::thread::spawn(move || {
        let note = |line: &[u8]| check(line, &transcript.note(Source::Stderr, line));
        let mut line = Vec::new();
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(count) = stderr.read(&mut buffer) {
            if count == 0 {
                break;
            }
            for &byte in &buffer[..count] {
                if byte == b'\n' {
                    note(&line);
                    line.clear();
                } else if line.len() < MAX_STDERR_LINE_BYTES {
                    line.push(byte);
                }
            }
        }
        if !line.is_empty() {
            note(&line);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_line_is_counted_and_dropped() {
        let mut splitter = Splitter::default();
        let chunk = vec![b'x'; 1024 * 1024];
        for _ in 0..20 {
            assert!(splitter.push(&chunk).is_empty());
        }
        assert!(splitter.line.len() <= MAX_LINE_BYTES);
        let lines = splitter.push(b"\nshort\nrest");
        assert!(matches!(lines[0], Incoming::Oversized { bytes } if bytes >= 20 * 1024 * 1024));
        assert!(matches!(&lines[1], Incoming::Line { bytes, .. } if bytes == b"short"));
        assert!(
            matches!(&splitter.finish()[0], Incoming::Unterminated { bytes } if bytes == b"rest")
        );
    }
}
