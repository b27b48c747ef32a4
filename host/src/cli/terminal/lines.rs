//! Lines a person types, read on a thread of their own: a question can be given up while it waits.
//! Nothing is read before a question is asked, so that what is typed for the shell stays there.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::mpsc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::platform;

/// The keys of the terminal.
#[derive(Debug)]
pub(crate) struct TypedLines {
    input: File,
    requests: mpsc::Sender<()>,
    lines: UnboundedReceiver<String>,
    /// The thread is reading a line right now.
    reading: bool,
}

impl TypedLines {
    /// The terminal this process may read from; `None` without one, or in the background.
    pub(crate) fn open() -> Option<Self> {
        let input = platform::open_input()?;
        let reader = BufReader::new(input.try_clone().ok()?);
        let (requests, asked) = mpsc::channel();
        let (sender, lines) = unbounded_channel();
        std::thread::spawn(move || read_lines(reader, &asked, &sender));
        Some(Self { input, requests, lines, reading: false })
    }

    /// Forgets what was typed so far: it cannot be meant as an answer to a question not yet asked.
    pub(crate) fn forget(&mut self) {
        platform::forget_typed(&self.input);
        if self.lines.try_recv().is_ok() {
            self.reading = false;
        }
    }

    /// The next line; `None` when the terminal is gone. May be dropped while it waits.
    pub(crate) async fn next(&mut self) -> Option<String> {
        if !self.reading {
            self.requests.send(()).ok()?;
            self.reading = true;
        }
        let line = self.lines.recv().await;
        self.reading = false;
        line
    }
}

fn read_lines(
    mut reader: BufReader<File>,
    asked: &mpsc::Receiver<()>,
    sender: &UnboundedSender<String>,
) {
    while asked.recv().is_ok() {
        let mut line = String::new();
        match reader.read_line(&mut line) {
            Ok(length) if length > 0 && sender.send(line).is_ok() => {}
            _ => break,
        }
    }
}
