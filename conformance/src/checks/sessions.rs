//! SES: sessions use the agent CLI's own ids.

use od_protocol::{ErrorKind, Event, SessionChoice, SessionMode, SessionStarted};

use super::AdapterCheck;
use super::expectations::{
    SHORT_RUN_TIMEOUT, completed, failed_with, plain_answer, reached, refused_with,
};
use super::session_files::sessions_on_disk;
use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun, execute_on};
use crate::fake_cli::Invocation;
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
    active(
        "SES-05",
        "`sessions/list` returns the sessions of the folder, newest first and at most `limit`, \
         `sessions/read` returns what the user wrote; unknown and hostile ids are refused, and \
         nothing is written",
        "a session id is input: it must not open any other file",
        Gate::capability("sessions"),
        sessions_on_disk,
    ),
    active(
        "SES-06",
        "a session id that looks like an option, a path or a command is passed on unchanged as \
         data, or refused before the agent CLI is started; `resume` and `fork` need an id",
        "an id from a file or a link must not become an option of the agent CLI",
        Gate::cli_scenario("resume").with_capability("resume"),
        hostile_ids,
    ),
    active(
        "SES-07",
        "`session_started` has the requested mode and the id of this run, and `done` repeats it",
        "a host stores these ids to continue the right conversation",
        Gate::cli_scenario("text"),
        session_values,
    ),
];

/// Session ids that an agent CLI could misunderstand.
const HOSTILE_IDS: &[&str] = &[
    "--help",
    "-x",
    "--",
    "../../x",
    "/etc/passwd",
    "..",
    "a b",
    "$(touch x)",
    "`touch x`",
    "\"quoted\" 'id'",
    "line\nfeed",
    "bell\u{7}",
    "ses;rm -rf x",
    "",
];

/// The kinds with which a session id may be refused.
const REFUSALS: &[ErrorKind] =
    &[ErrorKind::SessionUnknown, ErrorKind::ConfigInvalid, ErrorKind::InvalidParams];

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

fn hostile_ids(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let mut modes = vec![("resume", SessionMode::Resume)];
    if context.suite.declares("fork") && context.suite.has_scenario("fork") {
        modes.push(("fork", SessionMode::Fork));
    }
    for (scenario, mode) in modes {
        let mut prepared = context.prepare(scenario)?;
        prepared.request.session = SessionChoice { mode, id: None };
        adapter.fake_cli.load_script(&prepared.script)?;
        let sent = format!("run/start with session mode {mode} and no id");
        refused_with(&mut adapter, &prepared.request, &[ErrorKind::ConfigInvalid], &sent)?;
        for id in HOSTILE_IDS {
            stays_data(context, &mut adapter, scenario, mode, id)?;
        }
    }
    Ok(())
}

/// Starts a run with a hostile session id; the agent CLI receives it unchanged or is not started.
fn stays_data(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    scenario: &str,
    mode: SessionMode,
    id: &str,
) -> CheckOutcome {
    let mut prepared = context.prepare(scenario)?;
    prepared.values.set("session_id", id);
    prepared.script = context.suite.script(scenario, &prepared.values)?;
    prepared.request.session = SessionChoice { mode, id: Some(id.to_owned()) };
    let sent = format!("run/start with session {{mode: {mode}, id: {id:?}}}");
    let before = adapter.fake_cli.starts().len();
    match adapter.try_begin(&prepared)? {
        Answer::Error(error) if REFUSALS.contains(&error.kind()) => {
            let started = adapter.fake_cli.starts().len() - before;
            let expected = "no agent CLI is started for a refused run";
            return adapter.ensure(started == 0, expected, format!("{started} were"), sent);
        }
        refused @ Answer::Error(_) => {
            let expected = "the run is accepted, or session_unknown or config_invalid";
            return Err(adapter.failure(expected, refused.summary(), sent));
        }
        Answer::Result(_) => {}
    }
    // The run may fail: the agent CLI decides about the id.
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    let starts = adapter.fake_cli.starts();
    let Some(start) = starts.get(before) else {
        return failed_with(&record, REFUSALS, &sent);
    };
    if is_option(start, id) {
        let expected = format!("{id:?} as the value of an option, on stdin, or refused");
        return Err(record.failure(expected, format!("arguments {:?}", start.args), sent));
    }
    if id.is_empty() || reached(start, id) || is_encoded(start, id) {
        return Ok(());
    }
    let expected = format!("exactly {id:?} as one argument or in one message, or a refusal");
    Err(record.failure(expected, format!("arguments {:?}", start.args), sent))
}

/// Whether the id is an argument of its own that the agent CLI would parse as an option: it neither
/// follows an option nor the separator `--`.
fn is_option(start: &Invocation, id: &str) -> bool {
    let is_own = |index: usize| {
        let before = index.checked_sub(1).and_then(|before| start.args.get(before));
        !before.is_some_and(|before| before.starts_with('-'))
    };
    let places = start.args.iter().enumerate().filter(|(_, argument)| *argument == id);
    id.starts_with('-') && places.into_iter().any(|(index, _)| is_own(index))
}

/// Whether a request has the id percent-encoded in its path or query.
fn is_encoded(start: &Invocation, id: &str) -> bool {
    let encoded: String = id
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect();
    start
        .requests
        .iter()
        .any(|request| request.target.to_uppercase().contains(&encoded.to_uppercase()))
}

fn session_values(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let mut known: Vec<String> = Vec::new();
    let scenarios = [
        ("text", SessionMode::New, true),
        ("resume", SessionMode::Resume, context.suite.declares("resume")),
        ("fork", SessionMode::Fork, context.suite.declares("fork")),
        ("text", SessionMode::New, true),
    ];
    for (scenario, mode, is_declared) in scenarios {
        if !is_declared || !context.suite.has_scenario(scenario) {
            continue;
        }
        let mut prepared = context.prepare(scenario)?;
        let id = prepared.values.text("session_id");
        if mode != SessionMode::New {
            prepared.request.session = SessionChoice { mode, id: Some(id.clone()) };
        }
        let sent = format!("run/start with session mode {mode} after {} other runs", known.len());
        let completed_run = execute_on(&mut adapter, prepared)?;
        completed(&completed_run.record, &sent)?;
        names_own_session(&completed_run, mode, &known, &sent)?;
        known.extend([id, completed_run.prepared.values.text("new_session_id")]);
    }
    Ok(())
}

/// Compares the session of a run with that of its script.
fn names_own_session(
    completed_run: &CompletedRun,
    mode: SessionMode,
    known: &[String],
    sent: &str,
) -> CheckOutcome {
    let CompletedRun { prepared, record, .. } = completed_run;
    let value = if mode == SessionMode::Fork { "new_session_id" } else { "session_id" };
    let wanted = prepared.values.text(value);
    let started =
        record.of_type("session_started").find_map(|received| match received.event()? {
            Event::SessionStarted(started) => Some(started),
            _ => None,
        });
    let at_end = record.done().and_then(|done| done.session_id);
    let is_printed = prepared.script_prints(&wanted);
    for id in started.iter().map(|started| &started.session_id).chain(&at_end) {
        let is_right = if is_printed { *id == wanted } else { !known.contains(id) };
        record.ensure(is_right, format!("the session {wanted}"), format!("session {id}"), sent)?;
    }
    let Some(started) = started else { return Ok(()) };
    has_mode(record, &started, mode, sent)?;
    let old = prepared.values.text("session_id");
    let parent = started.parent_session_id.filter(|_| mode == SessionMode::Fork);
    let is_right = parent.as_ref().is_none_or(|parent| *parent == old);
    record.ensure(is_right, format!("parentSessionId {old}"), format!("{parent:?}"), sent)
}
