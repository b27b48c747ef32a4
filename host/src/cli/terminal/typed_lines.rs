//! Lines that the user types, read on a separate thread so that a question can be cancelled. Nothing is read
//! before a question is asked: text that is typed for the shell stays there.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::mpsc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::platform;

/// Reads lines from the terminal.
#[derive(Debug)]
pub(crate) struct TypedLines {
    input: File,
    requests: mpsc::Sender<()>,
    lines: UnboundedReceiver<String>,
    /// The thread is reading a line.
    is_reading: bool,
}

impl TypedLines {
    /// Opens the terminal; `None` without one, or in the background.
    pub(crate) fn open() -> Option<Self> {
        let input = platform::open_input()?;
        let reader = BufReader::new(input.try_clone().ok()?);
        let (requests, requested) = mpsc::channel();
        let (sender, lines) = unbounded_channel();
        std::thread::spawn(move || read_lines(reader, &requested, &sender));
        Some(Self { input, requests, lines, is_reading: false })
    }

    /// Discards what was typed so far: it cannot be the answer to a later question.
    pub(crate) fn discard(&mut self) {
        platform::discard_input(&self.input);
        if self.lines.try_recv().is_ok() {
            self.is_reading = false;
        }
    }

    /// Waits for the next line; `None` when the terminal is closed. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<String> {
        if !self.is_reading {
            self.requests.send(()).ok()?;
            self.is_reading = true;
        }
        let line = self.lines.recv().await;
        self.is_reading = false;
        line
    }
}

fn read_lines(
    mut reader: BufReader<File>,
    requested: &mpsc::Receiver<()>,
    sender: &UnboundedSender<String>,
) {
    while requested.recv().is_ok() {
        let mut line = String::new();
        match reader.read_line(&mut line) {
            Ok(length) if length > 0 && sender.send(line).is_ok() => {}
            _ => break,
        }
    }
}
