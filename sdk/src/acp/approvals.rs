//! `session/request_permission`: approvals. The reply is always one of the options that the agent
//! offers, and only an offered option that allows counts as a permission.

use std::collections::HashMap;

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalResolver, Event};
use serde_json::{Value, json};

use super::dialect::Dialect;
use super::native::PermissionOption;
use super::tools::Call;
use crate::{RunOutput, approval};

/// A pending request.
#[derive(Debug)]
struct Pending {
    request_id: Value,
    call_id: String,
    options: Vec<PermissionOption>,
}

/// The reply to a request.
#[derive(Debug, PartialEq)]
pub(super) struct Decision {
    /// The id of the agent's request.
    pub(super) request_id: Value,
    /// The result.
    pub(super) result: Value,
    /// The denied call.
    pub(super) denied_call: Option<String>,
}

/// Pending requests by approval id.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    pending: HashMap<String, Pending>,
    count: u32,
}

impl Approvals {
    pub(super) fn request(
        &mut self,
        request_id: Value,
        call: &Call,
        options: Vec<PermissionOption>,
        dialect: &dyn Dialect,
        output: &mut RunOutput,
    ) {
        self.count += 1;
        let approval_id = format!("approval-{}", self.count);
        let (category, risk) = approval::assess_risk(call.kind);
        output.event(Event::ApprovalRequested(ApprovalRequested {
            approval_id: approval_id.clone(),
            category,
            risk,
            summary: approval::summary(category, call.title.as_deref(), &call.name),
            tool_call_id: Some(call.id.clone()),
            input: Some(call.known_input(dialect)),
            options: options.iter().map(offered).collect(),
            deadline_ms: None,
        }));
        let pending = Pending { request_id, call_id: call.id.clone(), options };
        self.pending.insert(approval_id, pending);
    }

    /// The reply to the agent; `None` if the request is not pending.
    pub(super) fn decide(&mut self, respond_run_params: &RespondRunParams) -> Option<Decision> {
        let pending = self.pending.remove(&respond_run_params.approval_id)?;
        let outcome = respond_run_params.outcome;
        let is_cancelled = respond_run_params.by == Some(ApprovalResolver::Cancel);
        let chosen = match is_cancelled {
            true => None,
            false => pending.matching_option(outcome),
        };
        Some(Decision {
            result: answer(chosen),
            denied_call: (!outcome.is_allowed() && !is_cancelled).then_some(pending.call_id),
            request_id: pending.request_id,
        })
    }
}

impl Pending {
    /// Returns the offered option that matches the outcome, or a weaker one; never a stronger one.
    fn matching_option(&self, outcome: ApprovalOutcome) -> Option<&str> {
        let acceptable: &[ApprovalOutcome] = match outcome {
            ApprovalOutcome::AllowOnce => &[ApprovalOutcome::AllowOnce],
            ApprovalOutcome::AllowAlways => {
                &[ApprovalOutcome::AllowAlways, ApprovalOutcome::AllowOnce]
            }
            ApprovalOutcome::RejectAlways => {
                &[ApprovalOutcome::RejectAlways, ApprovalOutcome::RejectOnce]
            }
            _ => &[ApprovalOutcome::RejectOnce, ApprovalOutcome::RejectAlways],
        };
        let find = |wanted: &ApprovalOutcome| {
            self.options
                .iter()
                .find(|option| ApprovalOutcome::from_known(&option.kind) == Some(*wanted))
        };
        acceptable.iter().find_map(find).map(|option| option.option_id.as_str())
    }
}

/// Builds the result; without an option it is "cancelled".
pub(super) fn answer(option_id: Option<&str>) -> Value {
    match option_id {
        Some(option_id) => json!({"outcome": {"outcome": "selected", "optionId": option_id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}

fn offered(option: &PermissionOption) -> ApprovalOption {
    ApprovalOption {
        id: option.option_id.clone(),
        kind: ApprovalOutcome::from_wire(&option.kind),
        label: option.name.clone(),
    }
}
