//! The sockets. One thread receives the mapper's commands. Requests to the same path are sent one
//! after the other, so that inputs keep their order; other paths have threads of their own, since a
//! slow reply must not delay an abort, and so has the stream.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use od_protocol::MAX_LINE_BYTES;
use ureq::Agent;
use ureq::http::Request as HttpRequest;

use super::sse::Events;
use super::{Answer, Command, Reply, Request, RunEvents, Server, Wiring};
use crate::outbox::Outbox;

/// A server that loads a project for its first request may take this long on a busy machine.
const REPLY_TIMEOUT: Duration = Duration::from_secs(90);
/// The server is on this machine, so it accepts at once or never.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The size of one read.
const READ_BYTES: usize = 64 * 1024;

/// Handles commands until the run ends.
pub(super) fn start(wiring: Wiring) {
    thread::spawn(move || {
        let Wiring { run, commands, outbox, mut trace } = wiring;
        let mut server = None;
        let mut queues: HashMap<String, Sender<Request>> = HashMap::new();
        for command in commands {
            match (command, &server) {
                (Command::Connect(new), _) => server = Some(new),
                (Command::Request(request), Some(server)) => {
                    let queue = queues
                        .entry(request.path.clone())
                        .or_insert_with(|| start_queue(Server::clone(server), Arc::clone(&run)));
                    // The thread of a queue ends only after this sender is dropped.
                    let _ended = queue.send(request);
                }
                (Command::OpenStream(path), Some(server)) => {
                    let stream = Stream {
                        server: server.clone(),
                        path,
                        outbox: outbox.clone(),
                        trace: trace.take(),
                    };
                    let run = Arc::clone(&run);
                    run.on_stream_opened();
                    thread::spawn(move || stream.read(run.as_ref()));
                }
                (_, None) => tracing::error!("a request without a server to send it to"),
            }
        }
    });
}

/// Starts a thread that sends requests one after the other.
fn start_queue(server: Server, run: Arc<dyn RunEvents>) -> Sender<Request> {
    let (sender, requests) = channel();
    thread::spawn(move || {
        for request in requests {
            run.on_reply(&ask(&server, &request, REPLY_TIMEOUT));
        }
    });
    sender
}

fn agent(limit: Option<Duration>) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        // A server on this machine is not behind a proxy.
        .proxy(None)
        .max_redirects(0)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(limit)
        .build()
        .into()
}

pub(super) fn ask(server: &Server, request: &Request, limit: Duration) -> Reply {
    let outcome = send(server, request, limit)
        .map_err(|error| format!("{} {}{}: {error}", request.method, server.url, request.path));
    Reply { tag: request.tag, outcome }
}

fn send(server: &Server, request: &Request, limit: Duration) -> Result<Answer, ureq::Error> {
    let mut head = HttpRequest::builder()
        .method(request.method)
        .uri(format!("{}{}", server.url, request.path));
    if let Some(authorization) = server.authorization() {
        head = head.header("authorization", authorization);
    }
    let agent = agent(Some(limit));
    let response = match &request.body {
        None => agent.run(head.body(())?)?,
        Some(body) => {
            agent.run(head.header("content-type", "application/json").body(body.to_string())?)?
        }
    };
    let status = response.status().as_u16();
    let body = response.into_body().into_with_config().limit(MAX_LINE_BYTES).read_to_vec()?;
    Ok(Answer { status, body })
}

/// A stream of events.
struct Stream {
    server: Server,
    path: String,
    outbox: Outbox,
    trace: Option<File>,
}

impl Stream {
    /// Reads until the end of the stream or of the run.
    fn read(mut self, run: &dyn RunEvents) {
        let cap = usize::try_from(MAX_LINE_BYTES).unwrap_or(usize::MAX);
        let mut events = Events::new(cap);
        match self.open() {
            Ok(mut body) => {
                let mut chunk = vec![0; READ_BYTES];
                loop {
                    self.outbox.wait_for_space();
                    let count = match body.read(&mut chunk) {
                        Ok(0) | Err(_) => break,
                        Ok(count) => count,
                    };
                    self.keep(&chunk[..count]);
                    run.on_stream_events(&mut |each| events.feed(&chunk[..count], each));
                    if run.is_done() {
                        return;
                    }
                }
            }
            Err(error) => tracing::debug!(%error, "the stream of events cannot be opened"),
        }
        run.on_stream_events(&mut |each| events.finish(each));
        run.on_stream_ended(events.oversized);
    }

    fn open(&self) -> Result<impl Read + use<>, ureq::Error> {
        let mut head = HttpRequest::builder()
            .method("GET")
            .uri(format!("{}{}", self.server.url, self.path))
            .header("accept", "text/event-stream");
        if let Some(authorization) = self.server.authorization() {
            head = head.header("authorization", authorization);
        }
        Ok(agent(None).run(head.body(())?)?.into_body().into_reader())
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(trace) = &mut self.trace
            && let Err(error) = trace.write_all(bytes)
        {
            tracing::warn!(%error, "the trace file cannot be written; tracing stops");
            self.trace = None;
        }
    }
}
