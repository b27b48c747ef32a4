//! What a stream of events has left open and what came of it: read from its journal when the stream must
//! be closed for an adapter or a host that is gone, and when a run goes on with another attempt.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use od_protocol::{ErrorKind, Event, MAX_LINE_BYTES, RunEventParams, Totals, Usage};

use crate::journal::envelope::Envelope;
use crate::usage::{Fold, Past};

/// More than the protocol allows, so that only damage reaches it.
const LONGEST_LINE: u64 = MAX_LINE_BYTES + 1;

/// What is known of a stream so far. An attempt begins with its `run_started`; what it leaves open is the
/// business of that attempt, what came of it is added up.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct StreamState {
    pub(crate) next_seq: u64,
    pub(crate) last_ts: u64,
    /// `run_started` was there; events of the host may precede it.
    pub(crate) started: bool,
    /// What the attempt that is going on has left open.
    pub(crate) open: OpenEnds,
    /// The native session of the agent that has the run.
    pub(crate) session_id: Option<String>,
    /// The fatal error that was told already.
    pub(crate) fatal: Option<ErrorKind>,
    pub(crate) done: Option<od_protocol::Done>,
    /// When the limit is over that the attempt has run into, in milliseconds since 1970.
    pub(crate) resets_at: Option<u64>,
    tool_calls: u64,
    text: BTreeMap<String, u64>,
    files: BTreeSet<String>,
    usage: Fold,
    earlier: Earlier,
    /// Bytes up to the end of the last whole line.
    pub(crate) whole_bytes: u64,
}

/// What is begun and not ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OpenEnds {
    pub(crate) calls: BTreeSet<String>,
    pub(crate) thoughts: BTreeSet<String>,
    pub(crate) approvals: BTreeSet<String>,
    pub(crate) messages: BTreeSet<String>,
}

/// What came of the attempts before.
#[derive(Debug, Clone, Default, PartialEq)]
struct Earlier {
    text_bytes: u64,
    tool_calls: u64,
}

impl StreamState {
    /// Reads whole lines; half a line at the end is left out.
    pub(crate) fn read(&mut self, source: impl Read) -> std::io::Result<()> {
        let mut source = BufReader::with_capacity(64 * 1024, source);
        let mut line = Vec::new();
        let mut read = self.whole_bytes;
        let mut is_rest = false;
        loop {
            line.clear();
            let length = (&mut source).take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
            read += length;
            if line.pop() == Some(b'\n') {
                self.whole_bytes = read;
                if !std::mem::take(&mut is_rest) {
                    self.take(&line);
                }
            } else if length == LONGEST_LINE {
                is_rest = true; // No event is that long: what follows belongs to the damage.
            } else {
                return Ok(());
            }
        }
    }

    /// Reads on in a file where the last reading ended.
    pub(crate) fn read_on(&mut self, path: &Path) -> std::io::Result<()> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.whole_bytes))?;
        self.read(file)
    }

    /// What came of the run so far, all attempts together.
    pub(crate) fn totals(&self, past: &Past<'_>) -> Totals {
        let usage = self.usage.total(past);
        Totals {
            text_bytes: self.earlier.text_bytes + self.text_bytes(),
            tool_calls: self.earlier.tool_calls + self.tool_calls,
            files_changed: self.files.len() as u64,
            cost_usd: usage.as_ref().and_then(|usage| usage.cost_usd),
            usage,
        }
    }

    /// What the attempt that is going on has used, when it is known.
    pub(crate) fn used(&self, past: &Past<'_>) -> Option<Usage> {
        self.usage.each(past).pop().flatten()
    }

    /// Whether anything has been said or done.
    pub(crate) fn has_substance(&self) -> bool {
        let earlier = &self.earlier;
        let said = earlier.text_bytes + self.text_bytes() > 0;
        said || earlier.tool_calls + self.tool_calls > 0 || !self.files.is_empty()
    }

    fn text_bytes(&self) -> u64 {
        self.text.values().sum()
    }

    /// Adds up what came of the attempt that is over; the next one starts afresh.
    fn begin_attempt(&mut self) {
        if self.started {
            self.earlier.text_bytes += self.text_bytes();
            self.earlier.tool_calls += self.tool_calls;
            self.text.clear();
            self.tool_calls = 0;
            self.open = OpenEnds::default();
            self.resets_at = None;
        }
        self.started = true;
    }

    fn take(&mut self, line: &[u8]) {
        let Some(envelope) = Envelope::read(line) else { return };
        self.next_seq = self.next_seq.max(envelope.seq + 1);
        self.last_ts = envelope.ts;
        // The many small ones that leave nothing open need no parsing.
        if matches!(envelope.type_name, "thinking_delta" | "tool_output_delta" | "heartbeat") {
            return;
        }
        let Ok(params) = serde_json::from_slice::<RunEventParams>(line) else { return };
        self.apply(params.event, params.ts);
    }

    fn apply(&mut self, event: Event, ts: u64) {
        self.usage.take(ts, &event);
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

impl OpenEnds {
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
