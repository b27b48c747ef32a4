//! The stand-in's ears: stdin, signals and requests arrive on one channel.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::http::{self, Asked};
use super::notebook::Notebook;
use super::seen::Entry;
use crate::process;

/// Something that arrived.
#[derive(Debug)]
pub(super) enum Heard {
    /// A line on stdin, without its end.
    Line(String),
    /// Nothing more comes on stdin.
    StdinEnd,
    /// A signal.
    Signal(&'static str),
    /// A request that waits for its answer.
    Request(Asked),
}

/// Everything that arrives, and where it is put.
#[derive(Debug)]
pub(super) struct Ears {
    sender: Sender<Heard>,
    /// What arrived.
    pub(super) heard: Receiver<Heard>,
    notebook: Notebook,
}

impl Ears {
    /// Starts listening for requests too, and gives the port.
    pub(super) fn listen(&self) -> std::io::Result<u16> {
        let (sender, notebook) = (self.sender.clone(), self.notebook.clone());
        http::listen(move |asked| {
            let _unwritten = notebook.note(&Entry::request(&asked.request));
            sender.send(Heard::Request(asked)).is_ok()
        })
    }
}

/// Starts listening. Everything is written down before it is handed on.
pub(super) fn start(notebook: Notebook, is_terminal: bool) -> std::io::Result<Ears> {
    let (sender, heard) = channel();
    let ears = Ears { sender: sender.clone(), heard, notebook: notebook.clone() };
    let (signal_sender, signal_notebook) = (sender.clone(), notebook.clone());
    process::watch_signals(move |name| {
        // A notebook that cannot be written shows as a signal that was not seen.
        let _unwritten = signal_notebook.note(&Entry::Signal { name: name.to_owned() });
        let _gone = signal_sender.send(Heard::Signal(name));
    })?;
    std::thread::spawn(move || {
        let mut lines = Lines { is_terminal, line: Vec::new() };
        let mut stdin = std::io::stdin().lock();
        // A terminal whose other end is gone gives an error in place of an end.
        while let Ok(bytes) = stdin.fill_buf() {
            if bytes.is_empty() || notebook.keep_stdin(bytes).is_err() {
                break;
            }
            let whole = lines.take(bytes);
            if whole.into_iter().any(|line| sender.send(Heard::Line(line)).is_err()) {
                return;
            }
            let used = bytes.len();
            stdin.consume(used);
        }
        let _gone = lines.rest().map(|line| sender.send(Heard::Line(line)));
        let _unwritten = notebook.note(&Entry::StdinEnd);
        let _gone = sender.send(Heard::StdinEnd);
    });
    Ok(ears)
}

/// Bytes → lines. On a terminal a line ends with the key Enter (a carriage return), and Ctrl-C,
/// Ctrl-D and a lone Escape are lines of their own.
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

    /// What is there of a line.
    fn rest(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
        // On a terminal the line feed after a carriage return is no line.
        let is_nothing = line.is_empty() || (self.is_terminal && text.is_empty());
        (!is_nothing).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_a_pipe_or_a_terminal_ends_them() {
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
