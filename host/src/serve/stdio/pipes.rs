//! stdin to lines and messages to stdout, each on a thread of its own: a pipe that nobody reads stops the
//! one that writes it and nothing else.

use std::io::{Read, Write};

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use crate::error::HostError;
use crate::plugin::lines::{Line, LineBuffer};

/// Lines that wait to be looked at, and messages that wait to be written.
const WAITING: usize = 8;

/// What came from the client.
#[derive(Debug)]
pub(super) enum Incoming {
    /// Without its line end.
    Line(Vec<u8>),
    /// It was longer than the limit and has been left out.
    TooLong,
}

/// The lines of stdin, until its end.
pub(super) fn read_stdin(limit: usize) -> Result<Receiver<Incoming>, HostError> {
    let (sender, receiver) = channel(WAITING);
    start("od-stdin", move || read_lines(std::io::stdin().lock(), limit, &sender))?;
    Ok(receiver)
}

/// Where messages go, each one line with its line end; and what is over when the last of them has been
/// written.
pub(super) fn write_stdout() -> Result<(Sender<Vec<u8>>, oneshot::Receiver<()>), HostError> {
    let (sender, receiver) = channel(WAITING);
    let (end, written) = oneshot::channel();
    start("od-stdout", move || {
        write_messages(std::io::stdout().lock(), receiver);
        drop(end);
    })?;
    Ok((sender, written))
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), HostError> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map(drop).map_err(|error| HostError::storage(format!("cannot start {name}"), &error))
}

fn read_lines(mut source: impl Read, limit: usize, sender: &Sender<Incoming>) {
    let mut buffer = LineBuffer::new(limit);
    loop {
        match buffer.read_from(&mut source) {
            Ok(1..) => {}
            Ok(0) => break,
            Err(error) => {
                tracing::warn!(%error, "stdin cannot be read");
                break;
            }
        }
        while let Some(line) = buffer.next_line() {
            let incoming = match line {
                Line::Whole(line) if line.trim_ascii().is_empty() => continue,
                Line::Whole(line) => Incoming::Line(line.to_owned()),
                Line::TooLong(_) => Incoming::TooLong,
            };
            if sender.blocking_send(incoming).is_err() {
                return;
            }
        }
    }
    let rest = buffer.rest().trim_ascii();
    if !rest.is_empty() && sender.blocking_send(Incoming::Line(rest.to_owned())).is_err() {
        tracing::debug!("the last line came too late");
    }
}

fn write_messages(mut target: impl Write, mut messages: Receiver<Vec<u8>>) {
    while let Some(message) = messages.blocking_recv() {
        let written = target.write_all(&message).and_then(|()| match messages.is_empty() {
            true => target.flush(),
            false => Ok(()),
        });
        if let Err(error) = written {
            tracing::debug!(%error, "stdout cannot be written");
            return;
        }
    }
}
