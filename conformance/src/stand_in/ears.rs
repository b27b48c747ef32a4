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
pub(super) fn start(notebook: Notebook) -> std::io::Result<Ears> {
    let (sender, heard) = channel();
    let ears = Ears { sender: sender.clone(), heard, notebook: notebook.clone() };
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
    Ok(ears)
}
