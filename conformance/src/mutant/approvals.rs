//! Approvals of a run: requests, decisions and deadlines.

use std::time::{Duration, Instant};

use od_protocol::adapter::RespondRunParams;
use od_protocol::{
    ApprovalOutcome, ApprovalRequested, ApprovalResolved, ApprovalResolver, Event, JsonObject,
};

use super::fault::{Behaviour, Fault};
use super::run::Run;

/// An approval that waits for its decision.
pub(super) struct PendingApproval {
    /// The decisions that the agent CLI offers.
    offered: Vec<ApprovalOutcome>,
    /// When it is denied.
    pub(super) deadline: Option<Instant>,
}

impl PendingApproval {
    fn new(behaviour: Behaviour, requested: &ApprovalRequested) -> Self {
        let divisor = if behaviour.has(Fault::DeniesEarly) { 4 } else { 1 };
        let deadline = requested.deadline_ms.map(|ms| Duration::from_millis(ms / divisor));
        Self {
            offered: requested.options.iter().map(|option| option.kind).collect(),
            deadline: deadline.and_then(|wait| Instant::now().checked_add(wait)),
        }
    }

    /// The decision as the agent CLI offers it.
    fn offered_form(&self, outcome: ApprovalOutcome) -> ApprovalOutcome {
        match outcome {
            offered if self.offered.contains(&offered) => offered,
            ApprovalOutcome::AllowAlways => ApprovalOutcome::AllowOnce,
            ApprovalOutcome::RejectAlways => ApprovalOutcome::RejectOnce,
            other => other,
        }
    }
}

impl Run<'_> {
    /// Registers a request before its event is sent: the decision can arrive immediately.
    pub(super) fn on_approval_requested(&mut self, requested: ApprovalRequested) {
        let behaviour = self.adapter.behaviour;
        let approval_id = requested.approval_id.clone();
        self.open_approvals
            .insert(approval_id.clone(), PendingApproval::new(behaviour, &requested));
        self.adapter.open_approval(&self.params.run_id, &approval_id);
        if self.asks_host || !behaviour.has(Fault::HidesDenial) {
            self.emit(Event::ApprovalRequested(requested));
        }
        let approves = behaviour.has(Fault::ApprovesItself)
            || !self.asks_host && behaviour.has(Fault::ApprovesWithoutHost);
        let waits = self.asks_host || behaviour.has(Fault::WaitsWithoutHost);
        let outcome = match approves {
            true => ApprovalOutcome::AllowOnce,
            false if waits => return,
            false => ApprovalOutcome::RejectOnce,
        };
        self.resolve(approval_id, outcome, ApprovalResolver::Policy, None);
    }

    /// A decision of the host.
    pub(super) fn on_answer(&mut self, params: RespondRunParams) {
        let behaviour = self.adapter.behaviour;
        let by = match params.by.unwrap_or(ApprovalResolver::User) {
            _ if behaviour.has(Fault::AlwaysByUser) => ApprovalResolver::User,
            by => by,
        };
        let is_edited = params.updated_input.is_some();
        let outcome = match params.outcome {
            _ if is_edited && behaviour.has(Fault::EditApproves) => ApprovalOutcome::AllowOnce,
            outcome => outcome,
        };
        let input = params.updated_input.filter(|_| !behaviour.has(Fault::DropsUpdatedInput));
        self.resolve(params.approval_id, outcome, by, input);
    }

    /// Sends a decision to the CLI; only the first one counts.
    pub(super) fn resolve(
        &mut self,
        approval_id: String,
        outcome: ApprovalOutcome,
        by: ApprovalResolver,
        input: Option<JsonObject>,
    ) {
        let behaviour = self.adapter.behaviour;
        let Some(pending) = self.open_approvals.remove(&approval_id) else { return };
        self.adapter.withdraw_approval(&self.params.run_id, &approval_id);
        let is_denied =
            outcome == ApprovalOutcome::AllowAlways && behaviour.has(Fault::AlwaysIsDenied);
        let outcome = match behaviour.has(Fault::KeepsUnoffered) {
            true => outcome,
            false => pending.offered_form(outcome),
        };
        let allow = outcome.is_allowed() && !is_denied;
        let mut line = serde_json::json!({"t": "answer", "id": approval_id, "allow": allow});
        if let Some(input) = input.filter(|_| allow) {
            line["input"] = input.into();
        }
        self.send_input(format!("{line}\n").into_bytes());
        let resolved = Event::ApprovalResolved(ApprovalResolved { approval_id, outcome, by });
        if behaviour.has(Fault::ResolvesTwice) {
            self.emit(resolved.clone());
        }
        if self.asks_host || !behaviour.has(Fault::HidesDenial) {
            self.emit(resolved);
        }
        self.last_output = Instant::now();
    }

    /// Denies the requests whose deadline has passed.
    pub(super) fn deny_overdue_approvals(&mut self, now: Instant) {
        let behaviour = self.adapter.behaviour;
        let is_overdue = |pending: &PendingApproval| pending.deadline.is_some_and(|at| now >= at);
        let overdue: Vec<String> = self
            .open_approvals
            .iter()
            .filter(|(_, pending)| is_overdue(pending))
            .map(|(id, _)| id.clone())
            .collect();
        for approval_id in overdue {
            let outcome = match behaviour.has(Fault::DeadlineApproves) {
                true => ApprovalOutcome::AllowOnce,
                false => ApprovalOutcome::RejectOnce,
            };
            self.resolve(approval_id, outcome, ApprovalResolver::Timeout, None);
        }
    }

    /// The next deadline of a request.
    pub(super) fn approval_deadline(&self) -> Option<Instant> {
        let is_ignored = self.adapter.behaviour.has(Fault::IgnoresDeadline);
        let deadlines = self.open_approvals.values().filter_map(|pending| pending.deadline);
        deadlines.min().filter(|_| !is_ignored)
    }
}
