//! The outcome of a turn, which is the outcome of the run for the last turn.

use od_protocol::{DoneEvidence, DoneStatus, Event, StopReason};
use od_sdk::{Exit, RunOutcome, RunOutput};

use super::failure::{Failure, RULES};
use super::limits::Limits;
use crate::native::Turn;

/// The adapter stopped the CLI, which would have continued.
pub(crate) const STOPPED_BY_ADAPTER: RunOutcome = RunOutcome {
    status: DoneStatus::Failed,
    stop_reason: StopReason::Error,
    evidence: DoneEvidence::Watchdog,
};

/// The turn was interrupted, by a cancel or by a decision.
pub(crate) const INTERRUPTED: RunOutcome = RunOutcome {
    status: DoneStatus::Cancelled,
    stop_reason: StopReason::Cancelled,
    evidence: DoneEvidence::NativeResult,
};

/// The outcome of a turn.
#[derive(Debug)]
pub(crate) struct TurnOutcome {
    pub(crate) run_outcome: RunOutcome,
    pub(crate) failure: Option<Failure>,
}

impl TurnOutcome {
    /// Returns the outcome for the status of a turn.
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

    /// Returns the outcome of a failed turn; also emits `rate_limited` for a limit.
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

    /// Finishes the run: no other turn follows.
    pub(crate) fn finish(self, output: &mut RunOutput) {
        if let Some(failure) = self.failure {
            output.event(Event::Error(failure.into_event(true)));
        }
        output.close_stdin();
        output.finish(self.run_outcome);
    }
}

/// Returns the outcome for an exit without a final line: some errors are on stderr only.
pub(crate) fn of_exit(exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
    let event = od_sdk::failure::classify_stderr(&exit.stderr_tail, &RULES)?;
    output.event(Event::Error(event));
    Some(RunOutcome { evidence: DoneEvidence::ExitCode, ..STOPPED_BY_ADAPTER })
}
