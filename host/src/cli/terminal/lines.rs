//! Lines a person types, read on a thread of their own: a question can be given up while it waits.

use std::fs::File;
use std::io::{BufRead, BufReader};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::platform;

/// The lines typed on the terminal from now on.
#[derive(Debug)]
pub(crate) struct TypedLines {
    input: File,
    lines: UnboundedReceiver<String>,
}

impl TypedLines {
    /// Starts to read. `None` without a terminal.
    pub(crate) fn open() -> Option<Self> {
        let input = platform::open_input()?;
        let reader = BufReader::new(input.try_clone().ok()?);
        let (sender, lines) = unbounded_channel();
        std::thread::spawn(move || {
            for line in reader.lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Some(Self { input, lines })
    }

    /// Forgets what was typed so far: it cannot be meant as an answer to a question not yet asked.
    pub(crate) fn forget(&mut self) {
        platform::forget_typed(&self.input);
        while self.lines.try_recv().is_ok() {}
    }

    /// The next line; `None` when the terminal is gone. May be dropped while it waits.
    pub(crate) async fn next(&mut self) -> Option<String> {
        self.lines.recv().await
    }
}
