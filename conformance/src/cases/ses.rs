//! SES: sessions keep the agent CLI's own ids.

use od_protocol::{ErrorKind, Event, SessionChoice, SessionMode, SessionStarted};

use super::expectations::{RUN_LIMIT, completed, failed_with, failure, reached};
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Check, Gate, active};
use crate::play::{Performance, Play};
use crate::plugin::{Answer, RunRecord};
use crate::verdict::{Failure, Finding, Verdict};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "SES-01",
        "`session_started` and `done` name the session by the agent CLI's own id",
        "a person resumes it with that id, also in the agent CLI itself",
        Gate::cli_scenario("text").with_capability("resume"),
        native_id,
    ),
    active(
        "SES-02",
        "a run that resumes hands exactly the asked id to the agent CLI",
        "the last session is not always the right one; two projects get mixed up",
        Gate::cli_scenario("resume").with_capability("resume"),
        resume_exactly,
    ),
    active(
        "SES-03",
        "a run that forks hands the asked id to the agent CLI and reports the new one",
        "a copy that is reported under the old id overwrites the original in a host",
        Gate::cli_scenario("fork").with_capability("fork"),
        fork_is_new,
    ),
    active(
        "SES-04",
        "a session that the agent CLI does not know is session_unknown",
        "a host offers a new session by this kind",
        Gate::cli_scenario("session_unknown").with_capability("resume"),
        unknown_session,
    ),
];

fn native_id(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("text")?;
    let sent = "run/start of a new session";
    names_session(&performance.record, "session_id", &performance.play, sent)?;
    Ok(())
}

fn resume_exactly(bench: &mut Bench) -> Verdict {
    let (performance, sent) = with_old_session(bench, "resume", SessionMode::Resume)?;
    let started = names_session(&performance.record, "session_id", &performance.play, &sent)?;
    has_mode(&performance.record, &started, SessionMode::Resume, &sent)
}

fn fork_is_new(bench: &mut Bench) -> Verdict {
    let (performance, sent) = with_old_session(bench, "fork", SessionMode::Fork)?;
    let started = names_session(&performance.record, "new_session_id", &performance.play, &sent)?;
    has_mode(&performance.record, &started, SessionMode::Fork, &sent)?;
    let old = performance.play.values.text("session_id");
    match started.parent_session_id {
        Some(parent) if parent != old => {
            let expected = format!("parentSessionId {old}, or none");
            Err(failure(&performance.record, expected, parent, &sent))
        }
        _ => Ok(()),
    }
}

/// Performs a scenario that goes on with the session; its id must reach the agent CLI.
fn with_old_session(
    bench: &mut Bench,
    scenario: &str,
    mode: SessionMode,
) -> Result<(Performance, String), Finding> {
    let mut play = bench.prepare(scenario)?;
    let id = play.values.text("session_id");
    play.request.session = SessionChoice { mode, id: Some(id.clone()) };
    let sent = format!("run/start with session {{mode: {mode}, id: {id}}}");
    let mut plugin = bench.launch(&Setup::default())?;
    let performance = perform_on(&mut plugin, play)?;
    let invocation = performance.invocation.clone().unwrap_or_default();
    if !reached(&invocation, &id) {
        let expected = format!("{id} as an argument, a line or a variable of the agent CLI");
        let got = format!("arguments {:?}", invocation.args);
        return Err(failure(&performance.record, expected, got, &sent));
    }
    completed(&performance.record, &sent)?;
    Ok((performance, sent))
}

/// `session_started` and `done` name the session that was filled into the steps.
fn names_session(
    record: &RunRecord,
    value: &str,
    play: &Play,
    sent: &str,
) -> Result<SessionStarted, Finding> {
    let wanted = play.values.text(value);
    let started =
        record.of_type("session_started").find_map(|received| match received.event()? {
            Event::SessionStarted(started) => Some(started),
            _ => None,
        });
    let Some(started) = started else {
        return Err(failure(record, "`session_started`", record.summary(), sent));
    };
    if started.session_id != wanted {
        let expected = format!("`session_started` with sessionId {wanted}");
        return Err(failure(record, expected, started.session_id, sent));
    }
    let at_end = record.done().and_then(|done| done.session_id);
    if at_end.as_ref() != Some(&wanted) {
        let expected = format!("`done` with sessionId {wanted}");
        return Err(failure(record, expected, format!("{at_end:?}"), sent));
    }
    Ok(started)
}

fn has_mode(
    record: &RunRecord,
    started: &SessionStarted,
    mode: SessionMode,
    sent: &str,
) -> Verdict {
    if started.mode == mode {
        return Ok(());
    }
    let expected = format!("`session_started` with mode {mode}");
    Err(failure(record, expected, started.mode.to_string(), sent))
}

fn unknown_session(bench: &mut Bench) -> Verdict {
    let mut play = bench.prepare("session_unknown")?;
    let id = play.values.text("session_id");
    play.request.session = SessionChoice { mode: SessionMode::Resume, id: Some(id) };
    let sent = "run/start that resumes a session which the agent CLI does not know";
    let mut plugin = bench.launch(&Setup::default())?;
    match plugin.try_begin(&play)? {
        Answer::Error(error) if error.kind() == ErrorKind::SessionUnknown => Ok(()),
        refused @ Answer::Error(_) => {
            Err(Failure::new("an error of kind session_unknown", refused.summary())
                .sent(sent)
                .at(plugin.place())
                .into())
        }
        Answer::Result(_) => {
            let record = plugin.finish(play.run_id(), RUN_LIMIT)?;
            failed_with(&record, &[ErrorKind::SessionUnknown], sent)
        }
    }
}
