//! What is open in the stream of a run: the message, tool calls and approvals.

use std::time::{Duration, Instant};

use od_protocol::{ApprovalOutcome, ApprovalRequested};

/// An approval without an answer.
#[derive(Debug)]
pub(crate) struct OpenApproval {
    pub(crate) id: String,
    pub(crate) deadline: Option<Instant>,
    offered: Vec<ApprovalOutcome>,
}

impl OpenApproval {
    /// A request that arrives now.
    pub(super) fn new(approval: &ApprovalRequested) -> Self {
        let wait = approval.deadline_ms.map(Duration::from_millis);
        Self {
            id: approval.approval_id.clone(),
            deadline: wait.map(|wait| Instant::now() + wait),
            offered: approval.options.iter().map(|option| option.kind).collect(),
        }
    }

    /// Returns the decision that counts: one that was not offered counts as its `_once` form.
    pub(crate) fn offered_form(&self, outcome: ApprovalOutcome) -> ApprovalOutcome {
        match outcome {
            outcome if self.offered.contains(&outcome) => outcome,
            ApprovalOutcome::AllowAlways => ApprovalOutcome::AllowOnce,
            ApprovalOutcome::RejectAlways => ApprovalOutcome::RejectOnce,
            other => other,
        }
    }
}

/// The open message.
#[derive(Debug)]
pub(super) struct OpenMessage {
    pub(super) id: String,
    pub(super) text_bytes: u64,
}

/// The state of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolCall {
    /// Its input is not complete.
    Started,
    /// Its input is complete.
    Ready,
    /// It has its result.
    Closed,
}

impl ToolCall {
    /// The state after its input is complete; a closed call stays closed.
    pub(super) const fn max_ready(self) -> Self {
        match self {
            Self::Started | Self::Ready => Self::Ready,
            Self::Closed => Self::Closed,
        }
    }
}
