//! Reads lines from stdin and writes messages to stdout, each on its own thread: a pipe that the client does not
//! read blocks only the writing thread.

use std::io::{Read, Write};

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use crate::error::HostError;
use crate::json_rpc::Output;
use od_os::lines::{Line, LineBuffer};

/// Lines that wait to be handled, and messages that wait to be written.
const QUEUED_MESSAGES: usize = 8;

/// What the client sent.
#[derive(Debug)]
pub(super) enum Incoming {
    /// Without its line end.
    Line(Vec<u8>),
    /// A line longer than the limit was skipped.
    TooLong,
}

/// Starts to read the lines of stdin.
pub(super) fn read_stdin(max_line_bytes: usize) -> Result<Receiver<Incoming>, HostError> {
    let (sender, receiver) = channel(QUEUED_MESSAGES);
    start("od-stdin", move || read_lines(std::io::stdin().lock(), max_line_bytes, &sender))?;
    Ok(receiver)
}

/// Starts to write messages to stdout. The second value closes when the last message has been written.
pub(super) fn write_stdout() -> Result<(Output, oneshot::Receiver<()>), HostError> {
    let (output, queue) = Output::channel(QUEUED_MESSAGES);
    let (end, written) = oneshot::channel();
    start("od-stdout", move || {
        write_messages(std::io::stdout().lock(), queue);
        drop(end);
    })?;
    Ok((output, written))
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), HostError> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    let failed = |error| HostError::storage(format!("cannot start the thread {name}"), &error);
    thread.map(drop).map_err(failed)
}

fn read_lines(mut source: impl Read, max_line_bytes: usize, sender: &Sender<Incoming>) {
    let mut buffer = LineBuffer::new(max_line_bytes);
    loop {
        match buffer.read_from(&mut source) {
            Ok(1..) => {}
            Ok(0) => break,
            Err(error) => {
                tracing::warn!(%error, "cannot read stdin");
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
        tracing::debug!("the last line arrived after the session had ended");
    }
}

fn write_messages(mut target: impl Write, mut queue: Receiver<Vec<u8>>) {
    while let Some(mut message) = queue.blocking_recv() {
        message.push(b'\n');
        let written = target.write_all(&message).and_then(|()| match queue.is_empty() {
            true => target.flush(),
            false => Ok(()),
        });
        if let Err(error) = written {
            return tracing::debug!(%error, "cannot write stdout");
        }
    }
}
