//! How a turn, and with the last turn the run, ended.

use od_protocol::{DoneEvidence, DoneStatus, Event, StopReason};
use od_sdk::{Ending, Exit, RunOutput};

use super::failure::{self, Failure};
use super::limits::Limits;
use crate::native::Turn;

/// The CLI would have gone on; it was stopped.
pub(crate) const GIVEN_UP: Ending = Ending {
    status: DoneStatus::Failed,
    stop_reason: StopReason::Error,
    evidence: DoneEvidence::Watchdog,
};

/// It was interrupted: by us, or by a decision that says so.
pub(crate) const INTERRUPTED: Ending = Ending {
    status: DoneStatus::Cancelled,
    stop_reason: StopReason::Cancelled,
    evidence: DoneEvidence::NativeResult,
};

/// How a turn ended.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) ending: Ending,
    pub(crate) failure: Option<Failure>,
}

impl Verdict {
    /// From the turn's own status.
    pub(super) fn of_turn(turn: &Turn, limits: &mut Limits, output: &mut RunOutput) -> Self {
        match turn.status.as_str() {
            "completed" => Self { ending: Ending::COMPLETED, failure: None },
            "interrupted" => Self { ending: INTERRUPTED, failure: None },
            _ if output.is_cancelling() => Self { ending: INTERRUPTED, failure: None },
            _ => {
                let error = turn.error.clone().unwrap_or_default();
                Self::failed(Failure::of_turn(&error, limits), limits, output)
            }
        }
    }

    /// It failed; a limit is told as such, too.
    pub(crate) fn failed(failure: Failure, limits: &Limits, output: &mut RunOutput) -> Self {
        if failure.is_rate_limit() {
            limits.tell_rate_limit(output);
        }
        let ending = Ending {
            status: DoneStatus::Failed,
            stop_reason: failure.stop_reason(),
            evidence: DoneEvidence::NativeResult,
        };
        Self { ending, failure: Some(failure) }
    }

    /// No other turn follows.
    pub(crate) fn conclude(self, output: &mut RunOutput) {
        if let Some(failure) = self.failure {
            output.event(Event::Error(failure.into_event(true)));
        }
        output.close_stdin();
        output.finish(self.ending);
    }
}

/// The CLI ended without a last word: some refusals are only on stderr.
pub(crate) fn of_exit(exit: &Exit, output: &mut RunOutput) -> Option<Ending> {
    let mut lines = exit.stderr_tail.lines();
    let (line, judgement) =
        lines.find_map(|line| Some((line, failure::refusal_at_start(line)?)))?;
    output.event(Event::Error(Failure::of_start(line, judgement).into_event(true)));
    Some(Ending { evidence: DoneEvidence::ExitCode, ..GIVEN_UP })
}
