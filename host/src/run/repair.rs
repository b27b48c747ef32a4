//! Closing a broken stream, so that every journal ends with `done`. This is the only place that makes
//! events up: for an adapter that crashed, hung or was killed, and for a host that died.

use od_protocol::{
    ApprovalOutcome, ApprovalResolved, ApprovalResolver, Done, DoneEvidence, DoneStatus,
    ErrorEvent, ErrorKind, ErrorObject, Event, JsonObject, RunEventParams, RunStarted, StopReason,
    ThinkingStopped, ToolResult, ToolStatus,
};
use serde_json::Value;

use super::stream::{OpenEnds, StreamState};
use crate::journal::sink::write_line;
use crate::usage::Past;

/// The kind of error of a journal that cannot be written.
pub const JOURNAL_FAILED: &str = "_od.journal_failed";
/// The kind of error of a run whose host died.
pub const HOST_DIED: &str = "_od.host_died";

/// How a run ends that did not end by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It was told to stop, and had to be made to.
    Cancelled,
    /// Something went wrong.
    Failed(Box<ErrorEvent>),
    /// A limit of time ran out.
    TimedOut(Box<ErrorEvent>),
}

impl Verdict {
    /// A failure that the protocol has an error object for.
    pub fn failed(error: ErrorObject) -> Self {
        Self::Failed(Box::new(fatal(error)))
    }

    /// A limit of time that ran out: which one, and what to say of it.
    pub fn timed_out(which: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let mut error = ErrorEvent::fatal(ErrorKind::Timeout, message).with_hint(hint);
        error.data = Some(JsonObject::from_iter([("which".to_owned(), which.into())]));
        Self::TimedOut(Box::new(error))
    }
}

fn fatal(error: ErrorObject) -> ErrorEvent {
    let mut event = ErrorEvent::fatal(error.kind(), error.message);
    if let Some(data) = error.data {
        event.hint = data.hint;
        event.retryable = data.retryable;
        event.data = data.details;
    }
    event
}

/// How a run is closed, and what is known of it besides its events.
pub(crate) struct Closing<'a> {
    pub(crate) run_id: &'a str,
    pub(crate) verdict: &'a Verdict,
    pub(crate) times: Times,
    /// What earlier runs of its sessions had used.
    pub(crate) past: &'a Past<'a>,
}

/// The events that close a stream, as lines, and the `done` among them.
pub(crate) fn closing_events(state: &StreamState, closing: &Closing<'_>) -> (Vec<u8>, Done) {
    let Closing { run_id, verdict, times, .. } = *closing;
    let mut events = Vec::new();
    if !state.started {
        events.push(Event::RunStarted(RunStarted::default()));
    }
    events.extend(open_ends(&state.open, verdict == &Verdict::Cancelled));
    let done = done(state, closing);
    if let (None, Verdict::Failed(error) | Verdict::TimedOut(error)) = (&state.fatal, verdict) {
        events.push(Event::Error((**error).clone()));
    }
    events.push(Event::Done(done.clone()));

    let mut lines = Vec::new();
    for (seq, event) in (state.next_seq..).zip(events) {
        let envelope = RunEventParams {
            run_id: run_id.to_owned(),
            seq,
            ts: times.now.max(state.last_ts),
            event,
            meta: None,
        };
        write_line(&mut lines, &envelope);
    }
    (lines, done)
}

/// When a run began and ended, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) started: u64,
    pub(crate) now: u64,
}

/// The events that end what is begun and not ended.
pub(crate) fn open_ends(open: &OpenEnds, cancelled: bool) -> Vec<Event> {
    let status = if cancelled { ToolStatus::Cancelled } else { ToolStatus::Unknown };
    let approvals = open.approvals.iter().map(|approval_id| {
        Event::ApprovalResolved(ApprovalResolved {
            approval_id: approval_id.clone(),
            outcome: ApprovalOutcome::RejectOnce,
            by: ApprovalResolver::Cancel,
        })
    });
    let thoughts = open.thoughts.iter().map(|thinking_id| {
        Event::ThinkingStopped(ThinkingStopped { thinking_id: thinking_id.clone() })
    });
    let calls = open.calls.iter().map(|tool_call_id| {
        Event::ToolResult(ToolResult {
            tool_call_id: tool_call_id.clone(),
            status,
            output: Value::Null,
            exit_code: None,
            truncated: None,
        })
    });
    approvals.chain(thoughts).chain(calls).collect()
}

fn done(state: &StreamState, closing: &Closing<'_>) -> Done {
    let Closing { verdict, times, past, .. } = *closing;
    // A fatal error that was told already decides: two of them would contradict each other.
    let (status, error_kind): (DoneStatus, Option<ErrorKind>) = match (&state.fatal, verdict) {
        (Some(kind), _) => (DoneStatus::Failed, Some(kind.clone())),
        (None, Verdict::Cancelled) => (DoneStatus::Cancelled, None),
        (None, Verdict::Failed(error)) => (DoneStatus::Failed, Some(error.kind.clone())),
        (None, Verdict::TimedOut(error)) => (DoneStatus::TimedOut, Some(error.kind.clone())),
    };
    let stop_reason = match status {
        DoneStatus::Cancelled => StopReason::Cancelled,
        _ => StopReason::Error,
    };
    Done {
        status,
        stop_reason,
        error_kind,
        evidence: DoneEvidence::Watchdog,
        session_id: state.session_id.clone(),
        exit_code: None,
        signal: None,
        duration_ms: times.now.saturating_sub(times.started),
        totals: state.totals(past),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(journal: &str, verdict: &Verdict) -> Vec<Event> {
        let mut state = StreamState::default();
        state.read(journal.as_bytes()).expect("a string can be read");
        let times = Times { started: 5, now: 9 };
        let closing = Closing { run_id: "r", verdict, times, past: &|_, _| None };
        let (lines, _) = closing_events(&state, &closing);
        let lines = String::from_utf8(lines).expect("UTF-8");
        let read = |line: &str| serde_json::from_str::<RunEventParams>(line).expect("an event");
        let all: Vec<RunEventParams> = lines.lines().map(read).collect();
        let numbers: Vec<u64> = all.iter().map(|params| params.seq).collect();
        assert_eq!(numbers, (state.next_seq..).take(all.len()).collect::<Vec<_>>());
        all.into_iter().map(|params| params.event).collect()
    }

    fn crash() -> Verdict {
        Verdict::failed(
            ErrorObject::new(ErrorKind::PluginCrashed, "it is gone").with_hint("try again"),
        )
    }

    #[test]
    fn an_empty_stream_gets_a_beginning_and_an_end() {
        let events = close("", &crash());
        let types: Vec<&str> = events.iter().map(Event::type_name).collect();
        assert_eq!(types, ["run_started", "error", "done"]);
    }

    #[test]
    fn events_of_the_host_before_the_adapter_spoke_are_no_beginning() {
        let journal = concat!(
            r#"{"runId":"r","seq":0,"ts":1,"event":{"type":"status","phase":"queued"}}"#,
            "\n",
        );
        let events = close(journal, &Verdict::Cancelled);
        let types: Vec<&str> = events.iter().map(Event::type_name).collect();
        assert_eq!(types, ["run_started", "done"]);
    }

    #[test]
    fn what_is_open_is_closed_and_half_a_line_is_left_out() {
        let journal = concat!(
            r#"{"runId":"r","seq":0,"ts":1,"event":{"type":"run_started"}}"#,
            "\n",
            r#"{"runId":"r","seq":1,"ts":1,"event":{"type":"thinking_started","thinkingId":"t"}}"#,
            "\n",
            r#"{"runId":"r","seq":2,"ts":1,"event":{"type":"tool_call_started","toolCallId":"a","name":"x","kind":"other"}}"#,
            "\n",
            r#"{"runId":"r","seq":3,"ts":1,"event":{"type":"tool_call_started","toolCallId":"b","name":"x","kind":"other"}}"#,
            "\n",
            r#"{"runId":"r","seq":4,"ts":1,"event":{"type":"tool_result","toolCallId":"a","status":"ok","output":null}}"#,
            "\n",
            r#"{"runId":"r","seq":5,"ts":1,"event":{"type":"text_delta","messageId":"m","text":"four"}}"#,
            "\n",
            r#"{"runId":"r","seq":6,"#,
        );
        let events = close(journal, &crash());
        let types: Vec<&str> = events.iter().map(Event::type_name).collect();
        assert_eq!(types, ["thinking_stopped", "tool_result", "error", "done"]);
        let Some(Event::Done(done)) = events.last() else { panic!("no done") };
        assert_eq!(
            (done.status, done.totals.text_bytes, done.totals.tool_calls),
            (DoneStatus::Failed, 4, 2)
        );
        assert_eq!((&done.error_kind, done.duration_ms), (&Some(ErrorKind::PluginCrashed), 4));
    }

    #[test]
    fn a_fatal_error_that_was_told_is_not_told_twice() {
        let journal = concat!(
            r#"{"runId":"r","seq":0,"ts":1,"event":{"type":"run_started"}}"#,
            "\n",
            r#"{"runId":"r","seq":1,"ts":1,"event":{"type":"error","kind":"auth_missing","message":"m","fatal":true}}"#,
            "\n",
        );
        let events = close(journal, &Verdict::Cancelled);
        let [Event::Done(done)] = &events[..] else { panic!("more than done: {events:?}") };
        assert_eq!(
            (done.status, &done.error_kind),
            (DoneStatus::Failed, &Some(ErrorKind::AuthMissing))
        );
    }
}
