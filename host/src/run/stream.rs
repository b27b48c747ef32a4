//! What a stream of events has left open: read once, from its journal, when the stream must be closed
//! for an adapter or a host that is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};

use od_protocol::{ErrorKind, Event, MAX_LINE_BYTES, RunEventParams, Totals, Usage, UsageScope};

use crate::journal::envelope::Envelope;

/// More than the protocol allows, so that only damage reaches it.
const LONGEST_LINE: u64 = MAX_LINE_BYTES + 1;

/// What is known of a stream so far.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct StreamState {
    pub(crate) next_seq: u64,
    pub(crate) last_ts: u64,
    /// `run_started` was there; events of the host may precede it.
    pub(crate) started: bool,
    pub(crate) open_calls: BTreeSet<String>,
    pub(crate) open_thoughts: BTreeSet<String>,
    pub(crate) open_approvals: BTreeSet<String>,
    pub(crate) session_id: Option<String>,
    /// The fatal error that was told already.
    pub(crate) fatal: Option<ErrorKind>,
    pub(crate) done: Option<od_protocol::Done>,
    tool_calls: u64,
    text: BTreeMap<String, u64>,
    files: BTreeSet<String>,
    usage: Option<Usage>,
    /// Bytes up to the end of the last whole line.
    pub(crate) whole_bytes: u64,
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

    /// What came of the run so far.
    pub(crate) fn totals(&self) -> Totals {
        Totals {
            text_bytes: self.text.values().sum(),
            tool_calls: self.tool_calls,
            files_changed: self.files.len() as u64,
            cost_usd: self.usage.as_ref().and_then(|usage| usage.cost_usd),
            usage: self.usage.clone(),
        }
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
        self.apply(params.event);
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::RunStarted(_) => self.started = true,
            Event::SessionStarted(session) => self.session_id = Some(session.session_id),
            Event::TextDelta(delta) => {
                *self.text.entry(delta.message_id).or_default() += delta.text.len() as u64;
            }
            Event::MessageDiscarded(message) => {
                self.text.remove(&message.message_id);
            }
            Event::ThinkingStarted(thought) => {
                self.open_thoughts.insert(thought.thinking_id);
            }
            Event::ThinkingStopped(thought) => {
                self.open_thoughts.remove(&thought.thinking_id);
            }
            Event::ToolCallStarted(call) => {
                self.tool_calls += 1;
                self.open_calls.insert(call.tool_call_id);
            }
            Event::ToolResult(result) => {
                self.open_calls.remove(&result.tool_call_id);
            }
            Event::ApprovalRequested(approval) => {
                self.open_approvals.insert(approval.approval_id);
            }
            Event::ApprovalResolved(approval) => {
                self.open_approvals.remove(&approval.approval_id);
            }
            Event::FileChange(change) => {
                self.files.insert(change.path);
            }
            Event::Usage(usage) if usage.scope == UsageScope::Run => self.usage = Some(usage),
            Event::Error(error) if error.fatal => self.fatal = Some(error.kind),
            Event::Done(done) => self.done = Some(done),
            _ => {}
        }
    }
}
