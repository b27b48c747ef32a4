//! `can_use_tool`: the CLI asks, a person or a rule decides.

use std::collections::HashMap;

use od_protocol::{
    ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalResolved,
    ApprovalResolver, ApprovalRisk, Event, InputRequested, JsonObject, RespondRunParams, ToolKind,
    UserMessage,
};
use od_sdk::RunOutput;
use serde_json::Value;

use super::tools::Tools;
use super::words;
use crate::control;
use crate::native::{ControlRequest, ControlRequestLine};

/// The tool that asks a person something instead of doing something.
const QUESTION_TOOL: &str = "AskUserQuestion";
/// What the model is told when a denial comes without words.
const DENIED: &str = "this action was denied";

/// A question that waits.
#[derive(Debug)]
struct Question {
    /// What a person is asked in words, where the tool does nothing but ask.
    asked: Vec<String>,
    input: Value,
    call_id: Option<String>,
    rules: Vec<Value>,
}

/// The questions that wait, by the CLI's id.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    waiting: HashMap<String, Question>,
}

impl Approvals {
    pub(super) fn ask(&mut self, line: ControlRequestLine, output: &mut RunOutput) {
        let ControlRequestLine { request_id, request } = line;
        let (category, risk) = judge(&request);
        let mut options = vec![option("allow_once", ApprovalOutcome::AllowOnce)];
        if !request.permission_suggestions.is_empty() {
            options.push(option("allow_always", ApprovalOutcome::AllowAlways));
        }
        options.push(option("reject_once", ApprovalOutcome::RejectOnce));
        let asked = questions(&request);
        output.event(Event::ApprovalRequested(ApprovalRequested {
            approval_id: request_id.clone(),
            category,
            risk,
            summary: summary(&request),
            tool_call_id: request.tool_use_id.clone(),
            input: Some(request.input.clone()),
            options,
            deadline_ms: None,
        }));
        if !asked.is_empty() {
            output.event(Event::InputRequested(InputRequested {
                question_id: request_id.clone(),
                text: asked.join("\n"),
                schema: None,
            }));
        }
        let question = Question {
            asked,
            input: request.input,
            call_id: request.tool_use_id,
            rules: request.permission_suggestions.into_iter().map(for_this_session).collect(),
        };
        self.waiting.insert(request_id, question);
    }

    pub(super) fn decide(
        &mut self,
        respond_run_params: &RespondRunParams,
        tools: &mut Tools,
        output: &mut RunOutput,
    ) {
        let RespondRunParams { approval_id, outcome, updated_input, message, .. } =
            respond_run_params;
        let Some(question) = self.waiting.remove(approval_id) else { return };
        if !outcome.is_allowed() {
            if let Some(call_id) = &question.call_id {
                tools.mark_denied(call_id);
            }
            let message = message.as_deref().unwrap_or(DENIED);
            return output.write_json(&control::deny(approval_id, message));
        }
        let input = updated_input.clone().map_or(question.input, Value::Object);
        let rules = match outcome {
            ApprovalOutcome::AllowAlways => question.rules,
            _ => Vec::new(),
        };
        output.write_json(&control::allow(approval_id, &input, rules));
    }

    /// A person answers in words what was asked in words (recording `sj_question`).
    pub(super) fn answer(&mut self, text: &str, output: &mut RunOutput) -> Option<()> {
        let is_asked = |(_, question): &(&String, &Question)| !question.asked.is_empty();
        let approval_id = self.waiting.iter().find(is_asked)?.0.clone();
        let mut question = self.waiting.remove(&approval_id)?;
        let answers = question.asked.iter().map(|asked| (asked.clone(), Value::from(text)));
        question.input["answers"] = answers.collect::<JsonObject>().into();
        output.event(resolved(&approval_id, ApprovalOutcome::AllowOnce, ApprovalResolver::User));
        output.event(Event::UserMessage(UserMessage { text: text.to_owned() }));
        output.write_json(&control::allow(&approval_id, &question.input, Vec::new()));
        Some(())
    }

    /// The CLI takes its question back (recording `sj_perm_hang`).
    pub(super) fn withdraw(&mut self, approval_id: &str, output: &mut RunOutput) {
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

/// "Always" means this run: a suggestion that would be saved into the project's settings is
/// made one for the session.
fn for_this_session(mut rule: Value) -> Value {
    if let Some(rule) = rule.as_object_mut() {
        rule.insert("destination".to_owned(), "session".into());
    }
    rule
}

fn judge(request: &ControlRequest) -> (ApprovalCategory, ApprovalRisk) {
    let category = if words::mcp_server(&request.tool_name).is_some() {
        ApprovalCategory::Mcp
    } else {
        match words::kind(&request.tool_name) {
            ToolKind::Execute => ApprovalCategory::Execute,
            ToolKind::Edit | ToolKind::Delete | ToolKind::Move => ApprovalCategory::Edit,
            ToolKind::Read | ToolKind::Search => ApprovalCategory::Read,
            ToolKind::Fetch => ApprovalCategory::Network,
            _ => ApprovalCategory::Other,
        }
    };
    let risk = match category {
        _ if request.blocked_path.is_some() => ApprovalRisk::High,
        ApprovalCategory::Read => ApprovalRisk::Low,
        ApprovalCategory::Edit | ApprovalCategory::Other => ApprovalRisk::Med,
        _ => ApprovalRisk::High,
    };
    (category, risk)
}

/// One line: what exactly would happen.
fn summary(request: &ControlRequest) -> String {
    let what = words::title(&request.tool_name, &request.input);
    match (request.tool_name.as_str(), what) {
        ("Bash", Some(command)) => format!("run {command}"),
        (QUESTION_TOOL, _) => questions(request).join(" "),
        (_, Some(title)) => title,
        (name, None) => format!("use {name}"),
    }
}

/// What a person is asked in words; the answers go into `updatedInput.answers`, by question.
fn questions(request: &ControlRequest) -> Vec<String> {
    if request.tool_name != QUESTION_TOOL {
        return Vec::new();
    }
    let questions = request.input.get("questions").and_then(Value::as_array);
    let texts = questions.into_iter().flatten().filter_map(|item| item.get("question")?.as_str());
    texts.map(str::to_owned).collect()
}
