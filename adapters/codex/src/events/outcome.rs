//! How a turn, and with the last turn the run, ended.

use od_protocol::{DoneEvidence, DoneStatus, Event, StopReason};
use od_sdk::{Exit, RunOutcome, RunOutput};

use super::failure::{Failure, RULES};
use super::limits::Limits;
use crate::native::Turn;

/// The CLI would have gone on; it was stopped.
pub(crate) const GIVEN_UP: RunOutcome = RunOutcome {
    status: DoneStatus::Failed,
    stop_reason: StopReason::Error,
    evidence: DoneEvidence::Watchdog,
};

/// It was interrupted: by us, or by a decision that says so.
pub(crate) const INTERRUPTED: RunOutcome = RunOutcome {
    status: DoneStatus::Cancelled,
    stop_reason: StopReason::Cancelled,
    evidence: DoneEvidence::NativeResult,
};

/// How a turn ended.
#[derive(Debug)]
pub(crate) struct TurnOutcome {
    pub(crate) run_outcome: RunOutcome,
    pub(crate) failure: Option<Failure>,
}

impl TurnOutcome {
    /// From the turn's own status.
    pub(super) fn of_turn(turn: &Turn, limits: &mut Limits, output: &mut RunOutput) -> Self {
        match turn.status.as_str() {
            "completed" => Self { run_outcome: RunOutcome::COMPLETED, failure: None },
            "interrupted" => Self { run_outcome: INTERRUPTED, failure: None },
            _ if output.is_cancelling() => Self { run_outcome: INTERRUPTED, failure: None },
            _ => {
                let error = turn.error.clone().unwrap_or_default();
                Self::failed(Failure::of_turn(&error, limits), limits, output)
            }
        }
    }

    /// It failed; a limit is told as such, too.
    pub(crate) fn failed(failure: Failure, limits: &Limits, output: &mut RunOutput) -> Self {
        if failure.is_rate_limit() {
            limits.emit_rate_limit(output);
        }
        let run_outcome = RunOutcome {
            status: DoneStatus::Failed,
            stop_reason: failure.stop_reason(),
            evidence: DoneEvidence::NativeResult,
        };
        Self { run_outcome, failure: Some(failure) }
    }

    /// No other turn follows.
    pub(crate) fn finish(self, output: &mut RunOutput) {
        if let Some(failure) = self.failure {
            output.event(Event::Error(failure.into_event(true)));
        }
        output.close_stdin();
        output.finish(self.run_outcome);
    }
}

/// The CLI ended without a last word: some refusals are only on stderr.
pub(crate) fn of_exit(exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
    let event = od_sdk::failure::classify_stderr(&exit.stderr_tail, &RULES)?;
    output.event(Event::Error(event));
    Some(RunOutcome { evidence: DoneEvidence::ExitCode, ..GIVEN_UP })
}
