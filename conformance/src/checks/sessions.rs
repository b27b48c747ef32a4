//! SES: sessions use the agent CLI's own ids.

use od_protocol::{ErrorKind, Event, SessionChoice, SessionMode, SessionStarted};

use super::AdapterCheck;
use super::expectations::{SHORT_RUN_TIMEOUT, completed, failed_with, reached};
use crate::adapter_client::{Answer, RunRecord};
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun, execute_on};
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "SES-01",
        "`session_started` and `done` contain the agent CLI's own session id",
        "a user resumes the session with that id, also in the agent CLI itself",
        Gate::cli_scenario("text").with_capability("resume"),
        native_id,
    ),
    active(
        "SES-02",
        "a run that resumes a session passes exactly the requested id to the agent CLI",
        "the most recent session is not always the right one; projects would be mixed up",
        Gate::cli_scenario("resume").with_capability("resume"),
        resume_exactly,
    ),
    active(
        "SES-03",
        "a run that forks a session passes the requested id to the agent CLI and reports the new id",
        "a copy reported under the old id overwrites the original in a host",
        Gate::cli_scenario("fork").with_capability("fork"),
        fork_is_new,
    ),
    active(
        "SES-04",
        "a session that the agent CLI does not know is reported as session_unknown",
        "a host uses this kind to offer a new session",
        Gate::cli_scenario("session_unknown").with_capability("resume"),
        unknown_session,
    ),
];

fn native_id(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("text")?;
    let sent = "run/start of a new session";
    names_session(&completed_run.record, "session_id", &completed_run.prepared, sent)?;
    Ok(())
}

fn resume_exactly(context: &mut CheckContext) -> CheckOutcome {
    let (completed_run, sent) = with_old_session(context, "resume", SessionMode::Resume)?;
    let started =
        names_session(&completed_run.record, "session_id", &completed_run.prepared, &sent)?;
    has_mode(&completed_run.record, &started, SessionMode::Resume, &sent)
}

fn fork_is_new(context: &mut CheckContext) -> CheckOutcome {
    let (completed_run, sent) = with_old_session(context, "fork", SessionMode::Fork)?;
    let started =
        names_session(&completed_run.record, "new_session_id", &completed_run.prepared, &sent)?;
    has_mode(&completed_run.record, &started, SessionMode::Fork, &sent)?;
    let old = completed_run.prepared.values.text("session_id");
    match started.parent_session_id {
        Some(parent) if parent != old => {
            let expected = format!("parentSessionId {old}, or none");
            Err(completed_run.record.failure(expected, parent, &sent))
        }
        _ => Ok(()),
    }
}

/// Runs a scenario that continues a session; its id must reach the agent CLI.
fn with_old_session(
    context: &mut CheckContext,
    scenario: &str,
    mode: SessionMode,
) -> Result<(CompletedRun, String), Finding> {
    let mut prepared = context.prepare(scenario)?;
    let id = prepared.values.text("session_id");
    prepared.request.session = SessionChoice { mode, id: Some(id.clone()) };
    let sent = format!("run/start with session {{mode: {mode}, id: {id}}}");
    let mut adapter = context.launch()?;
    let completed_run = execute_on(&mut adapter, prepared)?;
    let invocation = completed_run.invocation.clone().unwrap_or_default();
    if !reached(&invocation, &id) {
        let expected = format!("{id} as an argument, an input line or a variable of the agent CLI");
        let got = format!("arguments {:?}", invocation.args);
        return Err(completed_run.record.failure(expected, got, &sent));
    }
    completed(&completed_run.record, &sent)?;
    Ok((completed_run, sent))
}

/// Fails unless `session_started` and `done` contain the session id of the steps.
fn names_session(
    record: &RunRecord,
    value: &str,
    prepared: &PreparedRun,
    sent: &str,
) -> Result<SessionStarted, Finding> {
    let wanted = prepared.values.text(value);
    let started =
        record.of_type("session_started").find_map(|received| match received.event()? {
            Event::SessionStarted(started) => Some(started),
            _ => None,
        });
    let Some(started) = started else {
        return Err(record.failure("`session_started`", record.summary(), sent));
    };
    if started.session_id != wanted {
        let expected = format!("`session_started` with sessionId {wanted}");
        return Err(record.failure(expected, started.session_id, sent));
    }
    let at_end = record.done().and_then(|done| done.session_id);
    if at_end.as_ref() != Some(&wanted) {
        let expected = format!("`done` with sessionId {wanted}");
        return Err(record.failure(expected, format!("{at_end:?}"), sent));
    }
    Ok(started)
}

fn has_mode(
    record: &RunRecord,
    started: &SessionStarted,
    mode: SessionMode,
    sent: &str,
) -> CheckOutcome {
    let expected = format!("`session_started` with mode {mode}");
    record.ensure(started.mode == mode, expected, started.mode.to_string(), sent)
}

fn unknown_session(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = context.prepare("session_unknown")?;
    let id = prepared.values.text("session_id");
    prepared.request.session = SessionChoice { mode: SessionMode::Resume, id: Some(id) };
    let sent = "run/start that resumes a session which the agent CLI does not know";
    let mut adapter = context.launch()?;
    match adapter.try_begin(&prepared)? {
        Answer::Error(error) if error.kind() == ErrorKind::SessionUnknown => Ok(()),
        refused @ Answer::Error(_) => {
            Err(adapter.failure("an error of kind session_unknown", refused.summary(), sent))
        }
        Answer::Result(_) => {
            let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
            failed_with(&record, &[ErrorKind::SessionUnknown], sent)
        }
    }
}
