//! `can_use_tool`: the agent CLI asks, a person or a rule decides.

use std::collections::HashMap;

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalResolved, ApprovalResolver, ApprovalRisk, Event};
use serde_json::Value;

use super::{ControlRequestLine, control};
use crate::RunOutput;

/// What the model is told when a denial comes without words.
const DENIED: &str = "this action was denied";

/// What a person is asked.
#[derive(Debug)]
pub struct Question {
    /// What kind of thing would happen.
    pub category: ApprovalCategory,
    /// How much could go wrong.
    pub risk: ApprovalRisk,
    /// One line: what exactly would happen.
    pub summary: String,
    /// Rules that "always" puts in force; without any, "always" is not offered.
    pub rules: Vec<Value>,
}

/// A question that waits.
#[derive(Debug)]
struct Waiting {
    input: Value,
    call_id: Option<String>,
    rules: Vec<Value>,
}

/// The questions that wait, by the agent CLI's id.
#[derive(Debug, Default)]
pub struct Approvals {
    waiting: HashMap<String, Waiting>,
}

impl Approvals {
    /// Asks.
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
        let waiting = Waiting { input: request.input, call_id: request.tool_use_id, rules };
        self.waiting.insert(request_id, waiting);
    }

    /// Whether something waits for an answer.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Hands the decision on. Gives back the call that is not to be made.
    pub fn decide(
        &mut self,
        respond_run_params: &RespondRunParams,
        output: &mut RunOutput,
    ) -> Option<String> {
        let RespondRunParams { approval_id, outcome, updated_input, message, .. } =
            respond_run_params;
        let waiting = self.waiting.remove(approval_id)?;
        if !outcome.is_allowed() {
            let message = message.as_deref().unwrap_or(DENIED);
            output.write_json(&control::deny(approval_id, message));
            return waiting.call_id;
        }
        let input = updated_input.clone().map_or(waiting.input, Value::Object);
        let rules = match outcome {
            ApprovalOutcome::AllowAlways => waiting.rules,
            _ => Vec::new(),
        };
        output.write_json(&control::allow(approval_id, &input, rules));
        None
    }

    /// A person answered in words what the tool asked: the completed input goes back as a yes.
    pub fn answer(
        &mut self,
        approval_id: &str,
        complete: impl FnOnce(&mut Value),
        output: &mut RunOutput,
    ) {
        let Some(mut waiting) = self.waiting.remove(approval_id) else { return };
        complete(&mut waiting.input);
        output.event(resolved(approval_id, ApprovalOutcome::AllowOnce, ApprovalResolver::User));
        output.write_json(&control::allow(approval_id, &waiting.input, Vec::new()));
    }

    /// The agent CLI takes its question back.
    pub fn withdraw(&mut self, approval_id: &str, output: &mut RunOutput) {
        if self.waiting.remove(approval_id).is_some() {
            let outcome = ApprovalOutcome::RejectOnce;
            output.event(resolved(approval_id, outcome, ApprovalResolver::Cancel));
        }
    }
}

fn resolved(approval_id: &str, outcome: ApprovalOutcome, by: ApprovalResolver) -> Event {
    Event::ApprovalResolved(ApprovalResolved { approval_id: approval_id.to_owned(), outcome, by })
}

fn option(id: &str, kind: ApprovalOutcome) -> ApprovalOption {
    ApprovalOption { id: id.to_owned(), kind, label: None }
}
