//! `can_use_tool`: approvals.

use std::collections::HashMap;

use od_protocol::adapter::RespondRunParams;
use od_protocol::{
    ApprovalCategory, ApprovalOutcome, ApprovalRequested, ApprovalResolved, ApprovalResolver,
    ApprovalRisk, Event,
};
use serde_json::Value;

use super::{ControlRequestLine, control};
use crate::RunOutput;
use crate::approval::option;

/// The message to the model for a denial without a message.
const DENIED: &str = "this action was denied";

/// The content of an approval request.
#[derive(Debug)]
pub struct Question {
    /// The category of the action.
    pub category: ApprovalCategory,
    /// Its risk.
    pub risk: ApprovalRisk,
    /// One line that describes the action.
    pub summary: String,
    /// Rules that "always" adds; without any, "always" is not offered.
    pub rules: Vec<Value>,
}

/// A pending request.
#[derive(Debug)]
struct Pending {
    input: Value,
    call_id: Option<String>,
    rules: Vec<Value>,
}

/// Pending requests by the id of the agent CLI.
#[derive(Debug, Default)]
pub struct Approvals {
    pending: HashMap<String, Pending>,
}

impl Approvals {
    /// Emits the approval request.
    pub fn ask(&mut self, line: ControlRequestLine, question: Question, output: &mut RunOutput) {
        let ControlRequestLine { request_id, request } = line;
        let Question { category, risk, summary, rules } = question;
        let mut options = vec![option("allow_once", ApprovalOutcome::AllowOnce)];
        if !rules.is_empty() {
            options.push(option("allow_always", ApprovalOutcome::AllowAlways));
        }
        options.push(option("reject_once", ApprovalOutcome::RejectOnce));
        output.event(Event::ApprovalRequested(ApprovalRequested {
            approval_id: request_id.clone(),
            category,
            risk,
            summary,
            tool_call_id: request.tool_use_id.clone(),
            input: Some(request.input.clone()),
            options,
            deadline_ms: None,
        }));
        let pending = Pending { input: request.input, call_id: request.tool_use_id, rules };
        self.pending.insert(request_id, pending);
    }

    /// Whether a request is pending.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Writes the decision to the agent CLI; returns a denied call.
    pub fn decide(
        &mut self,
        respond_run_params: &RespondRunParams,
        output: &mut RunOutput,
    ) -> Option<String> {
        let RespondRunParams { approval_id, outcome, updated_input, message, .. } =
            respond_run_params;
        let pending = self.pending.remove(approval_id)?;
        if !outcome.is_allowed() {
            let message = message.as_deref().unwrap_or(DENIED);
            output.write_json(&control::deny(approval_id, message));
            return pending.call_id;
        }
        let input = updated_input.clone().map_or(pending.input, Value::Object);
        let rules = match outcome {
            ApprovalOutcome::AllowAlways => pending.rules,
            _ => Vec::new(),
        };
        output.write_json(&control::allow(approval_id, &input, rules));
        None
    }

    /// Writes the user's answer to a question of a tool: an approval with the completed input.
    pub fn answer(
        &mut self,
        approval_id: &str,
        complete: impl FnOnce(&mut Value),
        output: &mut RunOutput,
    ) {
        let Some(mut pending) = self.pending.remove(approval_id) else { return };
        complete(&mut pending.input);
        output.event(resolved(approval_id, ApprovalOutcome::AllowOnce, ApprovalResolver::User));
        output.write_json(&control::allow(approval_id, &pending.input, Vec::new()));
    }

    /// The agent CLI withdraws its request.
    pub fn withdraw(&mut self, approval_id: &str, output: &mut RunOutput) {
        if self.pending.remove(approval_id).is_some() {
            let outcome = ApprovalOutcome::RejectOnce;
            output.event(resolved(approval_id, outcome, ApprovalResolver::Cancel));
        }
    }
}

fn resolved(approval_id: &str, outcome: ApprovalOutcome, by: ApprovalResolver) -> Event {
    Event::ApprovalResolved(ApprovalResolved { approval_id: approval_id.to_owned(), outcome, by })
}
