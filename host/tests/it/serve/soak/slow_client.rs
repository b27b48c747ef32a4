//! A slow client: reads a little, and continues long after the run has ended.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::json;

use super::fast_client::{Checksum, events_in};
use crate::serve::raw_websocket::RawWebSocket;
use crate::serve::server_process::ServeProcess;

/// It reads a few bytes at a time.
const READ_BUFFER_BYTES: usize = 512;

pub(super) struct SlowClient<'a> {
    host: &'a ServeProcess,
    pub(super) run_id: String,
    connection: Connection,
    sum: Checksum,
}

/// Its connection.
enum Connection {
    WebSocket(RawWebSocket),
    ServerSentEvents(BufReader<TcpStream>),
}

impl<'a> SlowClient<'a> {
    /// Attaches at the start and reads the first events; every second client over WebSocket.
    pub(super) fn attach(host: &'a ServeProcess, run_id: String, number: usize) -> Self {
        let connection = match number % 2 {
            0 => Connection::websocket(host, &run_id, 0),
            _ => Connection::server_sent_events(host, &run_id, 0),
        };
        let mut client = Self { host, run_id, connection, sum: Checksum::default() };
        client.read();
        client
    }

    /// Continues with the next event over a new connection.
    pub(super) fn reconnect(&mut self) {
        let next = self.sum.events;
        self.connection = match &self.connection {
            Connection::WebSocket(_) => Connection::websocket(self.host, &self.run_id, next),
            Connection::ServerSentEvents(_) => {
                Connection::server_sent_events(self.host, &self.run_id, next)
            }
        };
    }

    /// The checksum and the number of all events.
    pub(super) fn read_to_the_end(mut self) -> (String, u64) {
        while !self.sum.is_complete {
            self.read();
        }
        let events = self.sum.events;
        (self.sum.hex(), events)
    }

    /// Reads one message.
    fn read(&mut self) {
        match &mut self.connection {
            Connection::WebSocket(socket) => {
                let message = socket.next().expect("a message").expect("it is open");
                let events = events_in(message).map(|(_, events)| events);
                events.into_iter().flatten().for_each(|event| self.sum.add(event));
            }
            Connection::ServerSentEvents(stream) => {
                let mut line = String::new();
                stream.read_line(&mut line).expect("a line");
                if let Some(event) = line.strip_prefix("data: ") {
                    self.sum.add(event.trim_end());
                }
            }
        }
    }
}

impl Connection {
    fn websocket(host: &ServeProcess, run_id: &str, from: u64) -> Self {
        let opened =
            RawWebSocket::open(host.stream(), host.address(), &host.token, READ_BUFFER_BYTES);
        let mut socket = opened.expect("a WebSocket");
        let params = json!({"runId": run_id, "from": from}).to_string();
        socket.request(1, "runs/attach", &params).expect("the host listens");
        Self::WebSocket(socket)
    }

    /// HTTP/1.0, because its body has no chunk lengths.
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
        stream.write_all(request.as_bytes()).expect("the host listens");
        Self::ServerSentEvents(BufReader::with_capacity(READ_BUFFER_BYTES, stream))
    }
}
