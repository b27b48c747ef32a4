//! Writes events as lines: numbered, with a timestamp, according to the rules of the stream.
//!
//! Nothing here knows a process or the host; the runner takes the bytes.

mod escapes;
mod guard;
mod json;
mod open_items;
mod redact;
mod shorten;

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use od_protocol::adapter::RUN_EVENT;
use od_protocol::{
    ApprovalOutcome, Done, DoneStatus, ErrorEvent, ErrorKind, Event, StopReason, Unmapped,
};

use crate::{Exit, RunOutcome};
use escapes::strip_escapes;
use guard::{Admission, Guard};
pub(crate) use open_items::OpenApproval;
use redact::Redactor;
pub(crate) use redact::redact;

/// Writes the events of one run.
#[derive(Debug)]
pub struct Emitter {
    /// The beginning of every line, up to the sequence number.
    head: Vec<u8>,
    /// Lines that the runner has not taken yet.
    lines: Vec<u8>,
    next_seq: u64,
    started: Instant,
    max_line_bytes: usize,
    guard: Guard,
    redactor: Redactor,
    /// Added to usage that names no provider.
    provider: Option<String>,
}

/// The fields of a delta event, which is written without building an [`Event`], byte by byte as serde
/// would write it.
struct Delta<'a> {
    type_name: &'static str,
    id_name: &'static str,
    id: &'a str,
}

impl Emitter {
    pub(crate) fn new(run_id: &str, max_line_bytes: u64, secrets: Vec<String>) -> Self {
        let mut head =
            format!(r#"{{"jsonrpc":"2.0","method":"{RUN_EVENT}","params":{{"runId":"#).into_bytes();
        serde_json::to_writer(&mut head, run_id).expect("a string is JSON");
        head.extend_from_slice(br#","seq":"#);
        Self {
            head,
            lines: Vec::new(),
            next_seq: 0,
            started: Instant::now(),
            max_line_bytes: usize::try_from(max_line_bytes).unwrap_or(usize::MAX),
            guard: Guard::default(),
            redactor: Redactor::new(secrets),
            provider: None,
        }
    }

    /// Sets the provider for usage that names none.
    pub(crate) fn with_provider(mut self, provider: Option<String>) -> Self {
        self.provider = provider;
        self
    }

    /// The written lines; the caller takes them and leaves the buffer empty.
    pub(crate) fn lines(&mut self) -> &mut Vec<u8> {
        &mut self.lines
    }

    /// The sequence number of the next event.
    pub(crate) fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Approvals without an answer.
    pub(crate) fn open_approvals(&self) -> impl Iterator<Item = &OpenApproval> {
        self.guard.open_approvals()
    }

    /// The form of a decision that counts for an open approval; `None` if it is not open.
    pub(crate) fn offered_form(
        &self,
        approval_id: &str,
        outcome: ApprovalOutcome,
    ) -> Option<ApprovalOutcome> {
        let open = self.guard.open_approvals().find(|open| open.id == approval_id)?;
        Some(open.offered_form(outcome))
    }

    /// Whether `done` is written.
    pub(crate) fn is_done(&self) -> bool {
        self.guard.is_done()
    }

    /// Whether an approval is open.
    pub(crate) fn is_waiting_for_approval(&self) -> bool {
        self.guard.open_approvals().next().is_some()
    }

    /// Emits an event, after the events that the rules of the stream require before it.
    pub(crate) fn event(&mut self, event: Event) {
        let mut event = self.redactor.redact_event(event);
        if let Event::Usage(usage) = &mut event
            && usage.provider.is_none()
        {
            usage.provider.clone_from(&self.provider);
        }
        let Admission { repairs, event } = self.guard.admit(event);
        for repair in repairs {
            self.write(&repair);
        }
        if let Some(event) = event {
            self.write(&event);
        }
    }

    pub(crate) fn text_delta(&mut self, message_id: &str, text: &str) {
        let text = &*strip_escapes(text);
        let renamed = self.guard.renamed_message(message_id);
        let message_id = renamed.as_deref().unwrap_or(message_id);
        if self.guard.is_done() {
            return;
        }
        for repair in self.guard.admit_text(message_id, text.len()) {
            self.write(&repair);
        }
        self.pieces(Delta { type_name: "text_delta", id_name: "messageId", id: message_id }, text);
    }

    pub(crate) fn thinking_delta(&mut self, thinking_id: &str, text: &str) {
        let text = &*strip_escapes(text);
        let renamed = self.guard.renamed_thinking(thinking_id);
        let thinking_id = renamed.as_deref().unwrap_or(thinking_id);
        if self.guard.is_done() {
            return;
        }
        for repair in self.guard.admit_thinking(thinking_id) {
            self.write(&repair);
        }
        let delta = Delta { type_name: "thinking_delta", id_name: "thinkingId", id: thinking_id };
        self.pieces(delta, text);
    }

    pub(crate) fn tool_input_delta(&mut self, tool_call_id: &str, text: &str) {
        if self.guard.is_tool_input_open(tool_call_id) {
            let (type_name, id_name) = ("tool_input_delta", "toolCallId");
            self.pieces(Delta { type_name, id_name, id: tool_call_id }, text);
        }
    }

    pub(crate) fn unmapped(&mut self, unmapped: Unmapped) {
        if let Some(first) = self.guard.count_unmapped(unmapped) {
            self.event(Event::Unmapped(first));
        }
    }

    /// Ends the stream: closes what is open, emits the usage of the run and the counts of unmapped
    /// events, and writes `done`, with a status that agrees with the emitted errors.
    pub(crate) fn done(&mut self, mut outcome: RunOutcome, exit: &Exit) {
        if self.guard.is_done() {
            return;
        }
        if outcome.status == DoneStatus::Completed && self.guard.fatal_error().is_some() {
            outcome.status = DoneStatus::Failed;
            outcome.stop_reason = match outcome.stop_reason {
                StopReason::EndTurn | StopReason::Cancelled => StopReason::Error,
                other => other,
            };
        }
        if outcome.status == DoneStatus::Failed && self.guard.fatal_error().is_none() {
            self.event(Event::Error(ErrorEvent::fatal(
                ErrorKind::CliProtocol,
                "the agent CLI reported a failure without a reason",
            )));
        }
        for event in self.guard.close(&outcome) {
            // The guard keeps samples of unmapped messages as the agent CLI sent them.
            let event = self.redactor.redact_event(event);
            self.write(&event);
        }
        let error_kind = match outcome.status {
            DoneStatus::Failed | DoneStatus::TimedOut => self.guard.fatal_error().cloned(),
            _ => None,
        };
        let done = Done {
            status: outcome.status,
            stop_reason: outcome.stop_reason,
            error_kind,
            evidence: outcome.evidence,
            session_id: self.guard.session_id().map(str::to_owned),
            exit_code: exit.code,
            signal: exit.signal,
            duration_ms: self.started.elapsed().as_millis() as u64,
            totals: self.guard.totals(),
        };
        self.write(&Event::Done(done));
    }

    /// Writes text in as many events as the line limit requires; nothing is lost.
    fn pieces(&mut self, delta: Delta<'_>, text: &str) {
        if self.guard.is_done() {
            return;
        }
        for piece in shorten::pieces(text, self.max_line_bytes) {
            self.write_delta(&delta, piece);
        }
    }

    fn write(&mut self, event: &Event) {
        let before = self.lines.len();
        self.write_line(event);
        if self.lines.len() - before > self.max_line_bytes {
            self.lines.truncate(before);
            self.next_seq -= 1;
            self.write_line(&shorten::shortened(event.clone(), self.max_line_bytes));
        }
    }

    fn write_line(&mut self, event: &Event) {
        self.begin_line();
        serde_json::to_writer(&mut self.lines, event).expect("an event is JSON");
        self.end_line();
    }

    fn write_delta(&mut self, delta: &Delta<'_>, text: &str) {
        self.begin_line();
        let lines = &mut self.lines;
        for part in [r#"{"type":""#, delta.type_name, r#"",""#, delta.id_name, r#"":"#] {
            lines.extend_from_slice(part.as_bytes());
        }
        json::write_string(lines, delta.id);
        lines.extend_from_slice(br#","text":"#);
        json::write_string(lines, text);
        lines.push(b'}');
        self.end_line();
    }

    fn begin_line(&mut self) {
        let lines = &mut self.lines;
        lines.extend_from_slice(&self.head);
        serde_json::to_writer(&mut *lines, &self.next_seq).expect("a number is JSON");
        lines.extend_from_slice(br#","ts":"#);
        serde_json::to_writer(&mut *lines, &now_ms()).expect("a number is JSON");
        lines.extend_from_slice(br#","event":"#);
    }

    fn end_line(&mut self) {
        self.lines.extend_from_slice(b"}}\n");
        self.next_seq += 1;
    }
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests;
