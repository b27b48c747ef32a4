//! Inputs of the fake CLI: stdin, signals and requests arrive on one channel.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::call_recorder::CallRecorder;
use super::http::{self, PendingRequest};
use super::invocation::Entry;
use super::script::{Script, StdinMode};
use crate::process;

#[derive(Debug)]
pub(super) enum Input {
    /// A line on stdin, without its line end.
    Line(String),
    StdinEnd,
    Signal(&'static str),
    /// A request without a reply.
    Request(PendingRequest),
}

/// The channel of all inputs. Each is recorded before it is sent.
#[derive(Debug)]
pub(super) struct InputChannel {
    sender: Sender<Input>,
    /// Receives them.
    pub(super) receiver: Receiver<Input>,
    recorder: CallRecorder,
}

impl InputChannel {
    /// Starts the HTTP server and returns its port.
    pub(super) fn listen(&self) -> std::io::Result<u16> {
        let (sender, recorder) = (self.sender.clone(), self.recorder.clone());
        http::listen(move |pending| {
            let _unwritten = recorder.record(&Entry::request(&pending.request));
            sender.send(Input::Request(pending)).is_ok()
        })
    }
}

/// Starts the threads that read stdin and signals.
pub(super) fn start(recorder: CallRecorder, script: &Script) -> std::io::Result<InputChannel> {
    let (sender, receiver) = channel();
    let inputs = InputChannel { sender: sender.clone(), receiver, recorder: recorder.clone() };
    let (signal_sender, signal_recorder) = (sender.clone(), recorder.clone());
    process::watch_signals(move |name| {
        // A failed write shows as a signal that did not arrive.
        let _unwritten = signal_recorder.record(&Entry::signal(name));
        let _gone = signal_sender.send(Input::Signal(name));
    })?;
    if script.stdin == StdinMode::Ignore {
        return Ok(inputs);
    }
    let is_terminal = script.terminal;
    std::thread::spawn(move || {
        let mut lines = Lines { is_terminal, line: Vec::new() };
        let mut stdin = std::io::stdin().lock();
        // A terminal whose other end is closed reports an error, not the end.
        while let Ok(bytes) = stdin.fill_buf() {
            if bytes.is_empty() || recorder.record_stdin(bytes).is_err() {
                break;
            }
            let whole = lines.take(bytes);
            if whole.into_iter().any(|line| sender.send(Input::Line(line)).is_err()) {
                return;
            }
            let used = bytes.len();
            stdin.consume(used);
        }
        let _gone = lines.rest().map(|line| sender.send(Input::Line(line)));
        let _unwritten = recorder.record(&Entry::StdinEnd);
        let _gone = sender.send(Input::StdinEnd);
    });
    Ok(inputs)
}

/// Bytes to lines. On a terminal the key Enter (a carriage return) ends a line, and Ctrl-C, Ctrl-D
/// and a single Escape are separate lines.
struct Lines {
    is_terminal: bool,
    line: Vec<u8>,
}

impl Lines {
    /// The lines that these bytes complete.
    fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        const KEYS: [u8; 2] = [3, 4];
        const ESCAPE: u8 = 0x1b;
        let is_terminal = self.is_terminal;
        let ends =
            |byte: &u8| *byte == b'\n' || (is_terminal && (*byte == b'\r' || KEYS.contains(byte)));
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(ends) {
            self.line.extend_from_slice(piece);
            if piece.last().is_some_and(ends) || (is_terminal && self.line == [ESCAPE]) {
                lines.extend(self.rest());
            }
        }
        lines
    }

    /// The incomplete line.
    fn rest(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
        // On a terminal the line feed after a carriage return is not a line.
        let is_nothing = line.is_empty() || (self.is_terminal && text.is_empty());
        (!is_nothing).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_differ_for_pipe_and_terminal() {
        let mut pipe = Lines { is_terminal: false, line: Vec::new() };
        assert_eq!(pipe.take(b"one\r\n\ntw"), ["one", ""]);
        assert_eq!(pipe.take(b"o\n"), ["two"]);
        assert_eq!((pipe.rest(), pipe.take(b"three").len()), (None, 0));
        assert_eq!(pipe.rest().as_deref(), Some("three"));
        let mut terminal = Lines { is_terminal: true, line: Vec::new() };
        assert_eq!(terminal.take(b"one\r\ntwo\x03"), ["one", "two\u{3}"]);
        assert_eq!(terminal.take(b"\x1b"), ["\u{1b}"]);
        assert_eq!(terminal.take(b"\x1b[Ax\r"), ["\u{1b}[Ax"]);
    }
}
