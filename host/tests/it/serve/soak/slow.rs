//! Clients that do not keep up: they read a little, and go on when the run has long been over.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::json;

use super::reader::{Checksum, events_in};
use crate::serve::raw_websocket::RawWebSocket;
use crate::serve::stage::ServeProcess;

/// They read a few bytes at a time.
const BUFFER: usize = 512;

pub(super) struct SlowClient<'a> {
    host: &'a ServeProcess,
    pub(super) run_id: String,
    line: Line,
    sum: Checksum,
}

/// How it is connected.
enum Line {
    WebSocket(RawWebSocket),
    ServerSentEvents(BufReader<TcpStream>),
}

impl<'a> SlowClient<'a> {
    /// Attaches from the beginning and reads the first events; every second one over WebSocket.
    pub(super) fn attach(host: &'a ServeProcess, run_id: String, number: usize) -> Self {
        let line = match number % 2 {
            0 => Line::websocket(host, &run_id, 0),
            _ => Line::server_sent_events(host, &run_id, 0),
        };
        let mut client = Self { host, run_id, line, sum: Checksum::default() };
        client.read();
        client
    }

    /// Loses its connection and goes on with the next event over a new one.
    pub(super) fn come_back(&mut self) {
        let next = self.sum.events;
        self.line = match &self.line {
            Line::WebSocket(_) => Line::websocket(self.host, &self.run_id, next),
            Line::ServerSentEvents(_) => Line::server_sent_events(self.host, &self.run_id, next),
        };
    }

    /// The checksum of all events, and how many there were.
    pub(super) fn read_to_the_end(mut self) -> (String, u64) {
        while !self.sum.is_complete {
            self.read();
        }
        let events = self.sum.events;
        (self.sum.hex(), events)
    }

    /// Reads one message.
    fn read(&mut self) {
        match &mut self.line {
            Line::WebSocket(socket) => {
                let message = socket.next().expect("a message").expect("it is open");
                let events = events_in(message).map(|(_, events)| events);
                events.into_iter().flatten().for_each(|event| self.sum.add(event));
            }
            Line::ServerSentEvents(stream) => {
                let mut line = String::new();
                stream.read_line(&mut line).expect("a line");
                if let Some(event) = line.strip_prefix("data: ") {
                    self.sum.add(event.trim_end());
                }
            }
        }
    }
}

impl Line {
    fn websocket(host: &ServeProcess, run_id: &str, from: u64) -> Self {
        let opened = RawWebSocket::open(host.stream(), host.address(), &host.token, BUFFER);
        let mut socket = opened.expect("a WebSocket");
        let params = json!({"runId": run_id, "from": from}).to_string();
        socket.request(1, "runs/attach", &params).expect("it listens");
        Self::WebSocket(socket)
    }

    /// HTTP/1.0, because then the body comes without lengths between its lines.
    fn server_sent_events(host: &ServeProcess, run_id: &str, from: u64) -> Self {
        let mut stream = host.stream();
        let seen = match from {
            0 => String::new(),
            _ => format!("Last-Event-ID: {}\r\n", from - 1),
        };
        let request = format!(
            "GET /runs/{run_id}/events HTTP/1.0\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{seen}\r\n",
            host.address(),
            host.token
        );
        stream.write_all(request.as_bytes()).expect("it listens");
        Self::ServerSentEvents(BufReader::with_capacity(BUFFER, stream))
    }
}
