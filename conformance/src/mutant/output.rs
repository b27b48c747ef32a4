//! Output to the host: one line per message, and the numbered events of one run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use od_protocol::adapter::RUN_EVENT;
use od_protocol::{ErrorObject, Event, Totals};
use serde_json::{Value, json};

use super::event_faults::EventFaults;
use super::fault::{Behaviour, Fault};
use super::line_limit::LineLimit;
use super::tree;
use crate::generated_faults;

/// The only writer of stdout.
pub(super) struct Output {
    behaviour: Behaviour,
    /// When the last line was written.
    turn: Mutex<Instant>,
    /// The faults: ids that get no response.
    silenced: Mutex<BTreeSet<String>>,
}

impl Output {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, turn: Mutex::new(Instant::now()), silenced: Mutex::default() }
    }

    /// Answers a request; `id` is its raw text, echoed exactly.
    pub(super) fn reply(&self, id: &str, outcome: Result<Value, ErrorObject>) {
        if self.is_silenced(id) {
            return;
        }
        let outcome = outcome.map_err(|mut error| {
            if self.behaviour.has(Fault::MessagesAreSentences) {
                error.message = format!("Error: {}.", error.message);
            }
            error
        });
        let id = match serde_json::from_str::<Value>(id) {
            Ok(Value::Number(number))
                if self.behaviour.has(Fault::TextIds)
                    && number.as_u64() > Some(u32::MAX.into()) =>
            {
                Value::String(number.to_string())
            }
            Ok(Value::Number(number))
                if self.behaviour.has(Fault::FloatIds)
                    && number.as_u64() > Some(u32::MAX.into()) =>
            {
                json!(number.as_f64())
            }
            Ok(Value::String(text)) if self.behaviour.has(Fault::CutsLongIds) => {
                Value::String(text.chars().take(256).collect())
            }
            Ok(id) => id,
            Err(_) => Value::Null,
        };
        let message = match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(mut error) => {
                if self.behaviour.has(Fault::OneErrorCode) {
                    error.code = -32000;
                }
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
        };
        self.send(&message);
        if self.behaviour.has(Fault::AnswersTwice) {
            self.send(&message);
        }
    }

    /// The fault: a request with this id gets no response.
    pub(super) fn silence(&self, id: String) {
        self.silenced.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(id);
    }

    fn is_silenced(&self, id: &str) -> bool {
        let mut silenced = self.silenced.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_silenced = silenced.contains(id);
        if self.behaviour.has(Fault::IgnoresReusedIds) && id != "null" {
            silenced.insert(id.to_owned());
        }
        is_silenced
    }

    /// Writes one message as one line. If the host has exited, everything is stopped.
    pub(super) fn send(&self, message: &Value) {
        let mut line = message.to_string().into_bytes();
        let is_damaged = message["params"]["event"]["type"] == "message_stopped";
        if is_damaged && self.behaviour.has(Fault::InvalidUtf8Output) {
            line.splice(1..1, *b"\"_\xff\":0,");
        }
        line.push(b'\n');
        self.write(&line);
    }

    /// The time since the last line.
    pub(super) fn silent_for(&self) -> Duration {
        self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner).elapsed()
    }

    /// Writes bytes unchanged.
    pub(super) fn write(&self, bytes: &[u8]) {
        let mut turn = self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut stdout = std::io::stdout().lock();
        let bytes = generated_faults::outgoing(bytes);
        let written = stdout.write_all(&bytes).and_then(|()| stdout.flush());
        *turn = Instant::now();
        if written.is_err() && !self.behaviour.has(Fault::IgnoresBrokenPipe) {
            tree::sweep(0, |_| false);
            std::process::exit(0);
        }
    }
}

/// The fault: how many texts are dropped after a stall.
const DROPPED_TEXTS: usize = 10;

/// The events of one run: numbers them and counts the totals of `done`.
pub(super) struct Stream<'a> {
    output: &'a Output,
    behaviour: Behaviour,
    run_id: String,
    seq: u64,
    held: Vec<Value>,
    lost_words: usize,
    files: BTreeSet<String>,
    /// The bytes of each message, to subtract those of discarded ones.
    message_bytes: BTreeMap<String, u64>,
    totals: Totals,
    event_faults: EventFaults,
    line_limit: LineLimit,
    pub(super) started: Instant,
    started_ms: u64,
}

impl<'a> Stream<'a> {
    pub(super) fn new(
        output: &'a Output,
        behaviour: Behaviour,
        run_id: String,
        line_limit: LineLimit,
    ) -> Self {
        Self {
            output,
            behaviour,
            run_id: repeated_id(behaviour, run_id),
            event_faults: EventFaults::default(),
            line_limit,
            started_ms: now_ms(),
            seq: 0,
            held: Vec::new(),
            lost_words: 0,
            files: BTreeSet::new(),
            message_bytes: BTreeMap::new(),
            totals: Totals::default(),
            started: Instant::now(),
        }
    }

    /// Sends one event; a text that exceeds a line becomes several.
    pub(super) fn emit(&mut self, event: Event) {
        for event in self.line_limit.fit(event) {
            for value in self.event_faults.apply(self.behaviour, &event) {
                self.emit_value(value);
            }
        }
    }

    fn emit_value(&mut self, event: Value) {
        if self.behaviour.has(Fault::NoRunStarted) && event["type"] == "run_started" {
            return;
        }
        if self.lost_words > 0 && event["type"] == "text_delta" {
            self.lost_words -= 1;
            return;
        }
        self.count(&event);
        let (first, last) = (self.seq == 0, event["type"] == "done");
        let message = self.envelope(self.run_id.clone(), self.seq, event);
        self.seq += if self.behaviour.has(Fault::SeqGap) && self.seq == 1 { 2 } else { 1 };
        if self.behaviour.has(Fault::BuffersAll) {
            self.held.push(message);
            if last {
                self.held.drain(..).for_each(|message| self.output.send(&message));
            }
            return;
        }
        let started_at = Instant::now();
        self.output.send(&message);
        let is_stalled = started_at.elapsed() > Duration::from_secs(1);
        if is_stalled && self.behaviour.has(Fault::StallsLoseEvents) {
            self.lost_words = DROPPED_TEXTS;
        }
        if first {
            self.emit_noise();
        }
    }

    /// The totals of `done`.
    pub(super) fn totals(&self) -> Totals {
        let files_changed = self.files.len() as u64;
        Totals { files_changed, ..self.totals.clone() }
    }

    fn count(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("text_delta") => {
                let bytes = event["text"].as_str().unwrap_or_default().len() as u64;
                self.totals.text_bytes += bytes;
                *self.message_bytes.entry(event["messageId"].to_string()).or_default() += bytes;
            }
            Some("message_discarded") => {
                let bytes = self.message_bytes.remove(&event["messageId"].to_string());
                self.totals.text_bytes -= bytes.unwrap_or_default();
            }
            Some("tool_call_started") => self.totals.tool_calls += 1,
            Some("file_change") => drop(self.files.insert(event["path"].to_string())),
            Some("usage") => {
                self.totals.usage = serde_json::from_value(event.clone()).ok();
                self.totals.cost_usd = event["costUsd"].as_f64();
            }
            _ => {}
        }
    }

    fn envelope(&self, run_id: String, seq: u64, event: Value) -> Value {
        let params = json!({"runId": run_id, "seq": seq, "ts": self.timestamp(), "event": event});
        let mut message = json!({"jsonrpc": "2.0", "method": RUN_EVENT, "params": params});
        if self.behaviour.has(Fault::TextForNumber) {
            message["params"]["ts"] = message["params"]["ts"].to_string().into();
        }
        message
    }

    fn timestamp(&self) -> u64 {
        let now = now_ms();
        if self.behaviour.has(Fault::SecondsTimestamp) {
            return now / 1000;
        }
        if self.behaviour.has(Fault::MonotonicTimestamp) {
            return u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        }
        if self.behaviour.has(Fault::StartTimestamp) {
            return self.started_ms;
        }
        let is_abroad = std::env::var("TZ").is_ok_and(|zone| zone == "Asia/Kolkata");
        if is_abroad && self.behaviour.has(Fault::LocalTimestamp) {
            return now + 19_800_000;
        }
        now
    }

    /// The faults that print something else between the messages.
    fn emit_noise(&self) {
        if self.behaviour.has(Fault::StrayRunId) {
            let heartbeat = json!({"type": "heartbeat", "silentMs": 0});
            self.output.send(&self.envelope(format!("{}-stray", self.run_id), 0, heartbeat));
        }
        if self.behaviour.has(Fault::StrayPrint) {
            self.output.write(b"debug: the agent is up\n");
        }
    }
}

/// The id in the events of a run.
fn repeated_id(behaviour: Behaviour, run_id: String) -> String {
    if behaviour.has(Fault::LowercasesRunId) {
        return run_id.to_lowercase();
    }
    if behaviour.has(Fault::CutsRunId) {
        return run_id.chars().take(64).collect();
    }
    run_id
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
