//! The signals that stop a run: SIGINT, SIGTERM, SIGKILL.

use std::time::{Duration, Instant};

use od_protocol::{ApprovalOutcome, ApprovalResolver};

use super::fault::Fault;
use super::run::{Run, Stopping};
use super::tree;

/// The fault: the grace period of every cancel.
const DEFAULT_GRACE: Duration = Duration::from_secs(2);
/// The grace period after SIGTERM.
const TERMINATE_GRACE: Duration = Duration::from_secs(1);

impl Run<'_> {
    pub(super) fn on_cancel(&mut self, grace: Duration) {
        let behaviour = self.adapter.behaviour;
        if behaviour.has(Fault::EarlyCancelIgnored) && !self.any_output {
            return;
        }
        let is_default = behaviour.has(Fault::IgnoresGrace)
            || behaviour.has(Fault::ZeroGraceWaits) && grace.is_zero();
        let grace = if is_default { DEFAULT_GRACE } else { grace };
        let is_interrupted = matches!(self.stopping, Stopping::Interrupted(_));
        if is_interrupted && behaviour.has(Fault::SecondCancelRestarts) {
            self.stopping = Stopping::Interrupted(Instant::now() + grace);
        }
        if self.adapter.behaviour.has(Fault::CancelNoop) || self.stopping != Stopping::No {
            return;
        }
        self.cancelled = true;
        if self.adapter.behaviour.has(Fault::CancelApproves) {
            let open: Vec<String> = self.open_approvals.keys().cloned().collect();
            for approval_id in open {
                let (outcome, by) = (ApprovalOutcome::AllowOnce, ApprovalResolver::Cancel);
                self.resolve(approval_id, outcome, by, None);
            }
        }
        self.stop(grace);
    }

    /// Sends the first signal.
    pub(super) fn stop(&mut self, grace: Duration) {
        if self.adapter.behaviour.has(Fault::TermOnly) {
            tree::terminate(self.leader);
            self.stopping = Stopping::Interrupted(Instant::now() + Duration::from_secs(3600));
            return;
        }
        if self.adapter.behaviour.has(Fault::KillsAtOnce) {
            self.stopping = Stopping::Killed;
            return;
        }
        if grace.is_zero() {
            return self.terminate();
        }
        tree::interrupt(self.leader);
        self.stopping = Stopping::Interrupted(Instant::now() + grace);
    }

    /// Sends the second signal.
    pub(super) fn terminate(&mut self) {
        tree::terminate_group(self.leader);
        let grace = match self.adapter.behaviour.has(Fault::NoTerminationTime) {
            true => Duration::ZERO,
            false => TERMINATE_GRACE,
        };
        self.stopping = Stopping::Terminated(Instant::now() + grace);
    }
}
