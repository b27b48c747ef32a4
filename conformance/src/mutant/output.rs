//! Output to the host: one line per message, and the numbered events of one run.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use od_protocol::adapter::RUN_EVENT;
use od_protocol::{
    ErrorObject, Event, Heartbeat, MAX_LINE_BYTES, RunEventParams, Totals, Truncated,
};
use serde_json::{Value, json};

use super::fault::{Behaviour, Fault};
use super::tree;

/// The only writer of stdout.
pub(super) struct Output {
    behaviour: Behaviour,
    /// When the last line was written.
    turn: Mutex<Instant>,
}

impl Output {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, turn: Mutex::new(Instant::now()) }
    }

    /// Answers a request; `id` is its raw text, echoed exactly.
    pub(super) fn reply(&self, id: &str, outcome: Result<Value, ErrorObject>) {
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
            Ok(id) => id,
            Err(_) => Value::Null,
        };
        self.send(&match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        });
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
        let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
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
    totals: Totals,
    pub(super) started: Instant,
}

impl<'a> Stream<'a> {
    pub(super) fn new(output: &'a Output, behaviour: Behaviour, run_id: String) -> Self {
        Self {
            output,
            behaviour,
            run_id,
            seq: 0,
            held: Vec::new(),
            lost_words: 0,
            files: BTreeSet::new(),
            totals: Totals::default(),
            started: Instant::now(),
        }
    }

    /// Sends one event.
    pub(super) fn emit(&mut self, event: Event) {
        self.count(&event);
        if self.behaviour.has(Fault::NoRunStarted) && matches!(event, Event::RunStarted(_)) {
            return;
        }
        if self.lost_words > 0 && matches!(event, Event::TextDelta(_)) {
            self.lost_words -= 1;
            return;
        }
        let (first, last) = (self.seq == 0, matches!(event, Event::Done(_)));
        let message = self.envelope(self.run_id.clone(), self.seq, shorten(event));
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

    fn count(&mut self, event: &Event) {
        match event {
            Event::TextDelta(delta) => self.totals.text_bytes += delta.text.len() as u64,
            Event::ToolCallStarted(_) => self.totals.tool_calls += 1,
            Event::FileChange(change) => drop(self.files.insert(change.path.clone())),
            Event::Usage(usage) => {
                self.totals.usage = Some(usage.clone());
                self.totals.cost_usd = usage.cost_usd;
            }
            _ => {}
        }
    }

    fn envelope(&self, run_id: String, seq: u64, event: Event) -> Value {
        let params = RunEventParams { run_id, seq, ts: now_ms(), event, meta: None };
        let mut message = json!({"jsonrpc": "2.0", "method": RUN_EVENT, "params": params});
        if self.behaviour.has(Fault::TextForNumber) {
            message["params"]["ts"] = message["params"]["ts"].to_string().into();
        }
        message
    }

    /// The faults that print something else between the messages.
    fn emit_noise(&self) {
        if self.behaviour.has(Fault::StrayRunId) {
            let heartbeat = Event::Heartbeat(Heartbeat { silent_ms: 0 });
            self.output.send(&self.envelope(format!("{}-stray", self.run_id), 0, heartbeat));
        }
        if self.behaviour.has(Fault::StrayPrint) {
            self.output.write(b"debug: the agent is up\n");
        }
    }
}

/// Truncates payloads that can exceed a line; texts were split before.
fn shorten(event: Event) -> Event {
    // Escaping can make a text six times as long, and the envelope needs space too.
    let room = usize::try_from(MAX_LINE_BYTES / 8).unwrap_or(usize::MAX);
    let cut = |value: &mut Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let bytes = text.len().checked_sub(room).filter(|bytes| *bytes > 0)?;
        let start = (0..=room).rev().find(|end| text.is_char_boundary(*end))?;
        *value = Value::String(text[..start].to_owned());
        Some(Truncated { bytes: bytes as u64 })
    };
    match event {
        Event::ToolResult(mut result) => {
            result.truncated = cut(&mut result.output);
            Event::ToolResult(result)
        }
        Event::ToolCallReady(mut ready) => {
            ready.truncated = cut(&mut ready.input);
            Event::ToolCallReady(ready)
        }
        other => other,
    }
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
