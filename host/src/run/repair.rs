//! Closes a broken stream, so that every journal ends with `done`. Only this file composes events on behalf of an
//! adapter: one that crashed, hung or was killed, or whose host died.

use od_protocol::{
    ApprovalOutcome, ApprovalResolved, ApprovalResolver, Done, DoneEvidence, DoneStatus, ErrorKind,
    Event, RunEventParams, RunStarted, StopReason, ThinkingStopped, ToolResult, ToolStatus,
};
use serde_json::Value;

use super::outcome::RunOutcome;
use super::stream::{OpenItems, StreamState};
use crate::journal::writer::write_line;
use crate::usage::PriorUsage;

/// How a run is closed, and what its events do not contain.
pub(crate) struct Closing<'a> {
    pub(crate) run_id: &'a str,
    pub(crate) outcome: &'a RunOutcome,
    pub(crate) times: Times,
    /// The usage of earlier runs in the same sessions.
    pub(crate) prior: &'a PriorUsage<'a>,
}

/// The events that close a stream, as lines, and its `done`.
pub(crate) fn closing_events(state: &StreamState, closing: &Closing<'_>) -> (Vec<u8>, Done) {
    let Closing { run_id, outcome, times, .. } = *closing;
    let mut events = Vec::new();
    if !state.started {
        events.push(Event::RunStarted(RunStarted::default()));
    }
    events.extend(close_open_items(&state.open, outcome == &RunOutcome::Cancelled));
    let done = done(state, closing);
    if let (None, RunOutcome::Failed(error) | RunOutcome::TimedOut(error)) = (&state.fatal, outcome)
    {
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

/// When a run started and ended, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) started: u64,
    pub(crate) now: u64,
}

/// The events that close open items.
pub(crate) fn close_open_items(open: &OpenItems, cancelled: bool) -> Vec<Event> {
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
    let Closing { outcome, times, prior, .. } = *closing;
    // A fatal error in the journal decides: a second one would contradict it.
    let (status, error_kind): (DoneStatus, Option<ErrorKind>) = match (&state.fatal, outcome) {
        (Some(kind), _) => (DoneStatus::Failed, Some(kind.clone())),
        (None, RunOutcome::Cancelled) => (DoneStatus::Cancelled, None),
        (None, RunOutcome::Failed(error)) => (DoneStatus::Failed, Some(error.kind.clone())),
        (None, RunOutcome::TimedOut(error)) => (DoneStatus::TimedOut, Some(error.kind.clone())),
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
        totals: state.totals(prior),
    }
}

#[cfg(test)]
mod tests {
    use od_protocol::ErrorObject;

    use super::*;

    fn close(journal: &str, outcome: &RunOutcome) -> Vec<Event> {
        let mut state = StreamState::default();
        state.read(journal.as_bytes()).expect("a string can be read");
        let times = Times { started: 5, now: 9 };
        let closing = Closing { run_id: "r", outcome, times, prior: &|_, _| None };
        let (lines, _) = closing_events(&state, &closing);
        let lines = String::from_utf8(lines).expect("UTF-8");
        let read = |line: &str| serde_json::from_str::<RunEventParams>(line).expect("an event");
        let all: Vec<RunEventParams> = lines.lines().map(read).collect();
        let numbers: Vec<u64> = all.iter().map(|params| params.seq).collect();
        assert_eq!(numbers, (state.next_seq..).take(all.len()).collect::<Vec<_>>());
        all.into_iter().map(|params| params.event).collect()
    }

    fn crash() -> RunOutcome {
        RunOutcome::failed(
            ErrorObject::new(ErrorKind::PluginCrashed, "it exited").with_hint("try again"),
        )
    }

    #[test]
    fn empty_stream_gets_start_and_end() {
        let events = close("", &crash());
        let types: Vec<&str> = events.iter().map(Event::type_name).collect();
        assert_eq!(types, ["run_started", "error", "done"]);
    }

    #[test]
    fn host_events_are_not_start_of_stream() {
        let journal = concat!(
            r#"{"runId":"r","seq":0,"ts":1,"event":{"type":"status","phase":"queued"}}"#,
            "\n",
        );
        let events = close(journal, &RunOutcome::Cancelled);
        let types: Vec<&str> = events.iter().map(Event::type_name).collect();
        assert_eq!(types, ["run_started", "done"]);
    }

    #[test]
    fn open_items_are_closed_partial_line_ignored() {
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
    fn fatal_error_is_not_repeated() {
        let journal = concat!(
            r#"{"runId":"r","seq":0,"ts":1,"event":{"type":"run_started"}}"#,
            "\n",
            r#"{"runId":"r","seq":1,"ts":1,"event":{"type":"error","kind":"auth_missing","message":"m","fatal":true}}"#,
            "\n",
        );
        let events = close(journal, &RunOutcome::Cancelled);
        let [Event::Done(done)] = &events[..] else { panic!("more than done: {events:?}") };
        assert_eq!(
            (done.status, &done.error_kind),
            (DoneStatus::Failed, &Some(ErrorKind::AuthMissing))
        );
    }
}
