//! How a run ended: the process's exit, and the outcome as the mapper sees it.

use od_protocol::{DoneEvidence, DoneStatus, StopReason};

/// How the agent CLI's process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last lines of stderr, bounded, without terminal colours.
    pub stderr_tail: String,
}

/// How a run ended, as its mapper sees it. A failed outcome needs a fatal error event, see
/// [`RunOutput::fail`](crate::RunOutput::fail).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// How it ended.
    pub status: DoneStatus,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// What the status is based on.
    pub evidence: DoneEvidence,
}

impl RunOutcome {
    /// The agent CLI itself reported that it is done.
    pub const COMPLETED: Self = Self {
        status: DoneStatus::Completed,
        stop_reason: StopReason::EndTurn,
        evidence: DoneEvidence::NativeResult,
    };

    /// The agent CLI itself reported that it failed.
    pub const FAILED: Self = Self {
        status: DoneStatus::Failed,
        stop_reason: StopReason::Error,
        evidence: DoneEvidence::NativeResult,
    };

    /// The agent CLI itself reported that it stopped.
    pub const CANCELLED: Self = Self {
        status: DoneStatus::Cancelled,
        stop_reason: StopReason::Cancelled,
        evidence: DoneEvidence::NativeResult,
    };
}
