//! Decides how a run ended, from the mapper's outcome, the reason for a stop and the process's exit.

use od_protocol::{DoneEvidence, DoneStatus, ErrorEvent, ErrorKind, Event, StopReason};

use super::launch::Launch;
use super::state::RunState;
use crate::{Exit, RunOutcome};

/// Exit codes by which a shell or `env` reports that it cannot start the program or its interpreter.
const NOT_STARTED_CODES: [i32; 2] = [126, 127];

/// Why a run is being stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopCause {
    /// The host cancelled it.
    Cancelled,
    /// A time limit has passed.
    TimedOut,
    /// The host has exited.
    HostGone,
}

/// Emits the whole stream of a run whose process could not be started.
pub(super) fn emit_spawn_failure(state: &RunState, launch: &Launch, error: &std::io::Error) {
    let path = launch.install.path.display();
    let message = format!("cannot start {path}: {error}");
    let hint = "check that the file is executable and made for this machine, then `od-host agents --refresh`";
    let outcome = RunOutcome { evidence: DoneEvidence::Watchdog, ..RunOutcome::FAILED };
    let started = launch.run_started(None);
    state.with_output(|output| {
        output.event(Event::RunStarted(started));
        output.fail(ErrorEvent::fatal(ErrorKind::CliSpawnFailed, message).with_hint(hint));
        output.emitter.done(outcome, &Exit::default());
    });
}

/// Returns the outcome. Emits an error for a process that ended without reporting its end.
pub(super) fn evaluate(
    state: &RunState,
    launch: &Launch,
    cause: Option<StopCause>,
    exit: &Exit,
) -> RunOutcome {
    let mapped = match cause {
        None => state.map_exit(exit),
        Some(_) => state.with_output(|output| output.outcome.clone()),
    };
    let evidence = match (&mapped, exit.signal) {
        (Some(_), _) => DoneEvidence::NativeResult,
        (None, Some(_)) => DoneEvidence::Signal,
        (None, None) => DoneEvidence::ExitCode,
    };
    match (cause, mapped) {
        (Some(StopCause::Cancelled | StopCause::HostGone), _) => {
            RunOutcome { evidence, ..RunOutcome::CANCELLED }
        }
        (Some(StopCause::TimedOut), _) => RunOutcome {
            status: DoneStatus::TimedOut,
            stop_reason: StopReason::Cancelled,
            evidence: DoneEvidence::Watchdog,
        },
        (None, Some(outcome)) => outcome,
        (None, None) => {
            emit_crash(state, launch, exit);
            RunOutcome { evidence, ..RunOutcome::FAILED }
        }
    }
}

/// The agent CLI ended without reporting its end: whatever its exit code is, that is a failure.
fn emit_crash(state: &RunState, launch: &Launch, exit: &Exit) {
    let path = launch.install.path.display();
    let how = match (exit.code, exit.signal) {
        (_, Some(signal)) => format!("was ended by signal {signal}"),
        (Some(code), _) => format!("exited with code {code}"),
        (None, None) => "ended".to_owned(),
    };
    let stderr = match exit.stderr_tail.as_str() {
        "" => "stderr is empty".to_owned(),
        tail => format!("the last lines of stderr:\n{tail}"),
    };
    let message = format!("{path} {how} before it reported a result; {stderr}");
    let is_not_started = exit.code.is_some_and(|code| NOT_STARTED_CODES.contains(&code));
    let kind = match is_not_started && !state.has_stdout() {
        true => ErrorKind::CliSpawnFailed,
        false => ErrorKind::CliCrashed,
    };
    let cwd = &launch.start_run_params.cwd;
    let hint = format!("try it by hand: cd {cwd:?} && {path} --version; then `od-host doctor`");
    state.with_output(|output| {
        output.event(Event::Error(ErrorEvent::fatal(kind, message).with_hint(hint)));
    });
}
