//! `session/request_permission`: the agent asks, a person or a rule decides. Only what the agent
//! offers is ever answered, and nothing but an offered yes is a yes.

use std::collections::HashMap;

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalResolver, Event, ToolKind};
use serde_json::{Value, json};

use super::dialect::Dialect;
use super::tools::Call;
use super::words::PermissionOption;
use crate::{RunOutput, approval};

/// A question that waits.
#[derive(Debug)]
struct Question {
    request_id: Value,
    call_id: String,
    options: Vec<PermissionOption>,
}

/// What becomes of a question.
#[derive(Debug, PartialEq)]
pub(super) struct Decision {
    /// The agent's request.
    pub(super) request_id: Value,
    /// What it is answered.
    pub(super) result: Value,
    /// The call that is not to be made.
    pub(super) denied_call: Option<String>,
}

/// The questions that wait, by the approval's id.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    waiting: HashMap<String, Question>,
    asked: u32,
}

impl Approvals {
    pub(super) fn ask(
        &mut self,
        request_id: Value,
        call: &Call,
        options: Vec<PermissionOption>,
        dialect: &dyn Dialect,
        output: &mut RunOutput,
    ) {
        self.asked += 1;
        let approval_id = format!("approval-{}", self.asked);
        let (category, risk) = approval::assess_risk(call.kind);
        output.event(Event::ApprovalRequested(ApprovalRequested {
            approval_id: approval_id.clone(),
            category,
            risk,
            summary: summary(call),
            tool_call_id: Some(call.id.clone()),
            input: Some(call.known_input(dialect)),
            options: options.iter().map(offered).collect(),
            deadline_ms: None,
        }));
        let question = Question { request_id, call_id: call.id.clone(), options };
        self.waiting.insert(approval_id, question);
    }

    /// The answer to the agent; `None` when nothing of that name waits.
    pub(super) fn decide(&mut self, respond_run_params: &RespondRunParams) -> Option<Decision> {
        let question = self.waiting.remove(&respond_run_params.approval_id)?;
        let outcome = respond_run_params.outcome;
        let is_cancelled = respond_run_params.by == Some(ApprovalResolver::Cancel);
        let chosen = match is_cancelled {
            true => None,
            false => question.choice(outcome),
        };
        Some(Decision {
            result: answer(chosen),
            denied_call: (!outcome.is_allowed() && !is_cancelled).then_some(question.call_id),
            request_id: question.request_id,
        })
    }
}

impl Question {
    /// The offered answer that says this, or less: never more than was decided.
    fn choice(&self, outcome: ApprovalOutcome) -> Option<&str> {
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
        let offers = |wanted: &ApprovalOutcome| {
            self.options
                .iter()
                .find(|option| ApprovalOutcome::from_known(&option.kind) == Some(*wanted))
        };
        acceptable.iter().find_map(offers).map(|option| option.option_id.as_str())
    }
}

/// No choice means that nobody decided: the agent goes on as if it had been stopped.
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

/// One line: what exactly would happen.
fn summary(call: &Call) -> String {
    match (call.kind, &call.title) {
        (ToolKind::Execute, Some(command)) => format!("run {command}"),
        (_, Some(title)) => title.clone(),
        (_, None) => format!("use {}", call.name),
    }
}
