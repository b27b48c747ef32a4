//! The outcome of a run, from the stop reason of the last answer. The exit code proves nothing: pi exits
//! with 0 after a refused key (recording `r401`).

use od_protocol::{DoneEvidence, DoneStatus, StopReason};

use super::failure::CliError;
use crate::native::Message;
use od_sdk::RunOutcome;

/// The last answer.
#[derive(Debug, Default)]
pub(super) struct LastAnswer {
    message: Option<Message>,
}

impl LastAnswer {
    pub(super) fn set(&mut self, message: Message) {
        self.message = Some(message);
    }

    fn stopped(&self) -> &str {
        let stopped = self.message.as_ref().and_then(|message| message.stop_reason.as_deref());
        stopped.unwrap_or_default()
    }

    /// Why the turn ended.
    pub(super) fn stop_reason(&self, is_cancelling: bool) -> StopReason {
        match self.stopped() {
            "aborted" => StopReason::Cancelled,
            "error" if is_cancelling => StopReason::Cancelled,
            "error" => StopReason::Error,
            "length" => StopReason::MaxTokens,
            _ => StopReason::EndTurn,
        }
    }

    /// The failure, unless the run succeeded or is being cancelled.
    pub(super) fn cli_error(&self, is_cancelling: bool) -> Option<CliError> {
        let message = self.message.as_ref().filter(|_| self.stopped() == "error")?;
        (!is_cancelling).then(|| CliError::of(message))
    }

    /// How the run ended.
    pub(super) fn ending(&self, evidence: DoneEvidence, is_cancelling: bool) -> RunOutcome {
        let stop_reason = self.stop_reason(is_cancelling);
        let status = match stop_reason {
            StopReason::Cancelled => DoneStatus::Cancelled,
            StopReason::Error => DoneStatus::Failed,
            _ => DoneStatus::Completed,
        };
        RunOutcome { status, stop_reason, evidence }
    }
}

/// The outcome of a failed run.
pub(super) fn failed(evidence: DoneEvidence) -> RunOutcome {
    RunOutcome { evidence, ..RunOutcome::FAILED }
}
