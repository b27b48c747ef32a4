//! The state of an event stream: its open items and totals. Read from the journal when the stream must be closed for a
//! dead adapter or host, and before another attempt.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use od_protocol::{ErrorKind, Event, MAX_LINE_BYTES, RunEventParams, Totals, Usage};

use crate::journal::envelope::Envelope;
use crate::usage::{PriorUsage, RunUsage};

/// More than the protocol allows, so that only damage reaches it.
const MAX_JOURNAL_LINE_BYTES: u64 = MAX_LINE_BYTES + 1;

/// The state of a stream so far. An attempt starts with `run_started`; open items belong to the current attempt, totals
/// to the whole run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct StreamState {
    pub(crate) next_seq: u64,
    pub(crate) last_ts: u64,
    /// `run_started` was read; events of the host may precede it.
    pub(crate) started: bool,
    /// The open items of the current attempt.
    pub(crate) open: OpenItems,
    /// The native session of the current agent.
    pub(crate) session_id: Option<String>,
    /// The fatal error in the stream.
    pub(crate) fatal: Option<ErrorKind>,
    pub(crate) done: Option<od_protocol::Done>,
    /// When the limit that the attempt reached resets, in milliseconds since 1970.
    pub(crate) resets_at: Option<u64>,
    tool_calls: u64,
    text: BTreeMap<String, u64>,
    files: BTreeSet<String>,
    usage: RunUsage,
    earlier: Earlier,
    /// Bytes up to the end of the last whole line.
    pub(crate) whole_bytes: u64,
}

/// Items that have started and not ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OpenItems {
    pub(crate) calls: BTreeSet<String>,
    pub(crate) thoughts: BTreeSet<String>,
    pub(crate) approvals: BTreeSet<String>,
    pub(crate) messages: BTreeSet<String>,
}

/// The totals of the attempts before the current one.
#[derive(Debug, Clone, Default, PartialEq)]
struct Earlier {
    text_bytes: u64,
    tool_calls: u64,
}

impl StreamState {
    /// Reads whole lines; ignores a partial line at the end.
    pub(crate) fn read(&mut self, source: impl Read) -> std::io::Result<()> {
        let mut source = BufReader::with_capacity(64 * 1024, source);
        let mut line = Vec::new();
        let mut read = self.whole_bytes;
        let mut is_rest = false;
        loop {
            line.clear();
            let length =
                (&mut source).take(MAX_JOURNAL_LINE_BYTES).read_until(b'\n', &mut line)? as u64;
            read += length;
            if line.pop() == Some(b'\n') {
                self.whole_bytes = read;
                if !std::mem::take(&mut is_rest) {
                    self.read_line(&line);
                }
            } else if length == MAX_JOURNAL_LINE_BYTES {
                is_rest = true; // No event is that long: the file is damaged up to the next line end.
            } else {
                return Ok(());
            }
        }
    }

    /// Reads the part of a file after the last read.
    pub(crate) fn read_new(&mut self, path: &Path) -> std::io::Result<()> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.whole_bytes))?;
        self.read(file)
    }

    /// The totals of all attempts.
    pub(crate) fn totals(&self, prior: &PriorUsage<'_>) -> Totals {
        let usage = self.usage.total(prior);
        Totals {
            text_bytes: self.earlier.text_bytes + self.text_bytes(),
            tool_calls: self.earlier.tool_calls + self.tool_calls,
            files_changed: self.files.len() as u64,
            cost_usd: usage.as_ref().and_then(|usage| usage.cost_usd),
            usage,
        }
    }

    /// The usage of the current attempt, when it is known.
    pub(crate) fn attempt_usage(&self, prior: &PriorUsage<'_>) -> Option<Usage> {
        self.usage.per_attempt(prior).pop().flatten()
    }

    /// Whether the agent has written text, used a tool or changed a file.
    pub(crate) fn has_output(&self) -> bool {
        let earlier = &self.earlier;
        let has_text = earlier.text_bytes + self.text_bytes() > 0;
        has_text || earlier.tool_calls + self.tool_calls > 0 || !self.files.is_empty()
    }

    fn text_bytes(&self) -> u64 {
        self.text.values().sum()
    }

    /// Adds the totals of the ended attempt and resets the rest.
    fn begin_attempt(&mut self) {
        if self.started {
            self.earlier.text_bytes += self.text_bytes();
            self.earlier.tool_calls += self.tool_calls;
            self.text.clear();
            self.tool_calls = 0;
            self.open = OpenItems::default();
            self.resets_at = None;
        }
        self.started = true;
    }

    fn read_line(&mut self, line: &[u8]) {
        let Some(envelope) = Envelope::read(line) else { return };
        self.next_seq = self.next_seq.max(envelope.seq + 1);
        self.last_ts = envelope.ts;
        // These frequent events change no state, so they are not parsed.
        if matches!(envelope.type_name, "thinking_delta" | "tool_output_delta" | "heartbeat") {
            return;
        }
        let Ok(params) = serde_json::from_slice::<RunEventParams>(line) else { return };
        self.apply(params.event, params.ts);
    }

    fn apply(&mut self, event: Event, ts: u64) {
        self.usage.push(ts, &event);
        match event {
            Event::RunStarted(_) => self.begin_attempt(),
            Event::AgentSwitched(_) => self.session_id = None,
            Event::SessionStarted(session) => self.session_id = Some(session.session_id),
            Event::TextDelta(delta) => {
                *self.text.entry(delta.message_id).or_default() += delta.text.len() as u64;
            }
            Event::MessageDiscarded(message) => {
                self.text.remove(&message.message_id);
                self.open.messages.remove(&message.message_id);
            }
            Event::ToolCallStarted(call) => {
                self.tool_calls += 1;
                self.open.calls.insert(call.tool_call_id);
            }
            Event::FileChange(change) => {
                self.files.insert(change.path);
            }
            Event::RateLimited(limit) => {
                let after = limit.retry_after_ms.map(|delay| ts.saturating_add(delay));
                self.resets_at = limit.resets_at.or(after);
            }
            Event::Quota(quota) if quota.rate_limited => self.resets_at = quota.earliest_reset_at,
            Event::Error(error) if error.fatal => self.fatal = Some(error.kind),
            Event::Done(done) => self.done = Some(done),
            other => self.open.apply(other),
        }
    }
}

impl OpenItems {
    fn apply(&mut self, event: Event) {
        match event {
            Event::MessageStarted(message) => {
                self.messages.insert(message.message_id);
            }
            Event::MessageStopped(message) => {
                self.messages.remove(&message.message_id);
            }
            Event::ThinkingStarted(thought) => {
                self.thoughts.insert(thought.thinking_id);
            }
            Event::ThinkingStopped(thought) => {
                self.thoughts.remove(&thought.thinking_id);
            }
            Event::ToolResult(result) => {
                self.calls.remove(&result.tool_call_id);
            }
            Event::ApprovalRequested(approval) => {
                self.approvals.insert(approval.approval_id);
            }
            Event::ApprovalResolved(approval) => {
                self.approvals.remove(&approval.approval_id);
            }
            _ => {}
        }
    }
}
