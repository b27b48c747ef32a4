//! The stand-in's ears: stdin and signals arrive on one channel.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, channel};

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
}

/// Starts listening. Everything is written down before it is handed on.
pub(super) fn start(notebook: Notebook) -> std::io::Result<Receiver<Heard>> {
    let (sender, receiver) = channel();
    let (signal_sender, signal_notebook) = (sender.clone(), notebook.clone());
    process::watch_signals(move |name| {
        // A notebook that cannot be written shows as a signal that was not seen.
        let _unwritten = signal_notebook.note(&Entry::Signal { name: name.to_owned() });
        let _gone = signal_sender.send(Heard::Signal(name));
    })?;
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut line = Vec::new();
        while matches!(stdin.read_until(b'\n', &mut line), Ok(1..)) {
            if notebook.keep_stdin(&line).is_err() {
                break;
            }
            let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
            if sender.send(Heard::Line(text)).is_err() {
                return;
            }
            line.clear();
        }
        let _unwritten = notebook.note(&Entry::StdinEnd);
        let _gone = sender.send(Heard::StdinEnd);
    });
    Ok(receiver)
}
