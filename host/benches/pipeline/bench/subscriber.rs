//! Clients of `od-host serve` that count events, over WebSocket or server-sent events.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use super::fake_cli::{CLOCK_MARK, clock_in, now_nanoseconds};
use super::raw_pipe::microseconds_between;
use super::raw_websocket::RawWebSocket;

const NUMBER: &[u8] = br#""seq":"#;
const DONE: &[u8] = br#""type":"done""#;

/// The events that one client received.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) events: u64,
    last_number: u64,
    /// The latency of each in microseconds; only for a script with a clock.
    pub(super) latencies: Vec<f64>,
}

impl Seen {
    /// Counts complete events; returns whether `done` is among them.
    fn count(&mut self, bytes: &[u8]) -> bool {
        let now = now_nanoseconds();
        for at in memchr::memmem::find_iter(bytes, NUMBER) {
            self.events += 1;
            self.last_number = number_at(&bytes[at + NUMBER.len()..]);
        }
        for at in memchr::memmem::find_iter(bytes, CLOCK_MARK) {
            let then = clock_in(&bytes[at..]);
            self.latencies.extend(then.map(|then| microseconds_between(then, now)));
        }
        memchr::memmem::find(bytes, DONE).is_some()
    }

    /// Describes lost events; `None` when all arrived.
    pub(super) fn loss(&self, deltas: u64) -> Option<String> {
        let is_complete = self.events == self.last_number + 1 && self.events > deltas;
        let Self { events, last_number, .. } = self;
        (!is_complete)
            .then(|| format!("{events} events arrived, the last with number {last_number}"))
    }
}

fn number_at(bytes: &[u8]) -> u64 {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

/// Subscribes to the events of a run.
pub(super) fn attach(socket: &mut RawWebSocket, run_id: &str) -> anyhow::Result<()> {
    Ok(socket.request(1, "runs/attach", &format!(r#"{{"runId":"{run_id}"}}"#))?)
}

/// Attaches to a run and reads it to its end.
pub(super) fn watch(mut socket: RawWebSocket, run_id: &str) -> anyhow::Result<Seen> {
    attach(&mut socket, run_id)?;
    read(socket)
}

/// Reads to the end of the run.
pub(super) fn read(mut socket: RawWebSocket) -> anyhow::Result<Seen> {
    let mut seen = Seen::default();
    while let Some(message) = socket.next()? {
        if seen.count(message) {
            return Ok(seen);
        }
    }
    anyhow::bail!("the WebSocket was closed after {} events", seen.events)
}

/// Reads server-sent events to their end.
pub(super) fn watch_stream(mut stream: BufReader<TcpStream>) -> anyhow::Result<Seen> {
    let mut seen = Seen::default();
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(b"data:") && seen.count(&line) {
            return Ok(seen);
        }
        line.clear();
    }
    anyhow::bail!("the stream ended after {} events", seen.events)
}
