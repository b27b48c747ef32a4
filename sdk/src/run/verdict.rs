//! How a run ended, from what the mapper heard, why it was stopped and how the process ended.

use od_protocol::{DoneEvidence, DoneStatus, ErrorEvent, ErrorKind, Event, StopReason};

use super::core::RunCore;
use super::launch::Launch;
use crate::adapter::{Ending, Exit};

/// Why a run is being stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// The host wants it.
    Cancelled,
    /// A limit of time ran out.
    TimedOut,
    /// Nobody is there to want anything.
    HostGone,
}

/// The process could not be started.
const NEVER_STARTED: Ending = Ending {
    status: DoneStatus::Failed,
    stop_reason: StopReason::Error,
    evidence: DoneEvidence::Watchdog,
};

/// The process could not be started: the whole stream of such a run.
pub(super) fn tell_spawn_failure(core: &RunCore, launch: &Launch, error: &std::io::Error) {
    let path = launch.install.path.display();
    let message = format!("{path} could not be started: {error}");
    let hint = "check that the file is executable and made for this machine, then `od-host agents --refresh`";
    let started = launch.run_started(None);
    core.with_output(|output| {
        output.event(Event::RunStarted(started));
        output.fail(ErrorEvent::fatal(ErrorKind::CliSpawnFailed, message).with_hint(hint));
        output.emitter.done(NEVER_STARTED, &Exit::default());
    });
}

/// The verdict. A process that ended without its own last word gets its error told here.
pub(super) fn of(core: &RunCore, launch: &Launch, reason: Option<Reason>, exit: &Exit) -> Ending {
    let heard = match reason {
        None => core.explain_exit(exit),
        Some(_) => core.with_output(|output| output.ending.clone()),
    };
    let evidence = match (&heard, exit.signal) {
        (Some(_), _) => DoneEvidence::NativeResult,
        (None, Some(_)) => DoneEvidence::Signal,
        (None, None) => DoneEvidence::ExitCode,
    };
    match (reason, heard) {
        (Some(Reason::Cancelled | Reason::HostGone), _) => {
            Ending { status: DoneStatus::Cancelled, stop_reason: StopReason::Cancelled, evidence }
        }
        (Some(Reason::TimedOut), _) => Ending {
            status: DoneStatus::TimedOut,
            stop_reason: StopReason::Cancelled,
            evidence: DoneEvidence::Watchdog,
        },
        (None, Some(heard)) => heard,
        (None, None) => {
            tell_crash(core, launch, exit);
            Ending { status: DoneStatus::Failed, stop_reason: StopReason::Error, evidence }
        }
    }
}

/// The agent CLI ended without its own last word: whatever its exit code says, that is no success.
fn tell_crash(core: &RunCore, launch: &Launch, exit: &Exit) {
    let path = launch.install.path.display();
    let how = match (exit.code, exit.signal) {
        (_, Some(signal)) => format!("was ended by signal {signal}"),
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, None) => "ended".to_owned(),
    };
    let said = match exit.stderr_tail.as_str() {
        "" => "it said nothing on stderr".to_owned(),
        tail => format!("its last words on stderr:\n{tail}"),
    };
    let message = format!("{path} {how} before it said that it was done; {said}");
    // A shell or `env` says by these codes that the program, or its interpreter, is not there.
    let never_began = matches!(exit.code, Some(126 | 127)) && !core.has_spoken();
    let kind = if never_began { ErrorKind::CliSpawnFailed } else { ErrorKind::CliCrashed };
    let cwd = &launch.start_run_params.cwd;
    let hint = format!("try it by hand: cd {cwd:?} && {path} --version; then `od-host doctor`");
    core.with_output(|output| {
        output.event(Event::Error(ErrorEvent::fatal(kind, message).with_hint(hint)));
    });
}
