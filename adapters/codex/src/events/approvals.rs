//! Requests of the CLI: it asks, a person or a rule decides.

use std::collections::HashMap;

use od_protocol::adapter::RespondRunParams;
use od_protocol::{
    ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalResolved,
    ApprovalResolver, ApprovalRisk, Event, InputRequested, JsonObject, UserMessage,
};
use od_sdk::RunOutput;
use od_sdk::text::first_line;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::tools::Tools;
use super::{read, items};
use crate::native::{ApprovalRequest, Elicitation, RequestResolved, UserInputRequest};

/// How an answer is worded.
#[derive(Debug)]
enum AnswerFormat {
    /// For a command or a patch.
    Decision,
    /// For permissions: those that were asked for.
    Permissions(Value),
    /// For a tool of an MCP server.
    Elicitation,
}

/// A question that waits.
#[derive(Debug)]
struct PendingApproval {
    request_id: Value,
    form: AnswerFormat,
}

/// What a person is asked in words.
#[derive(Debug)]
struct PendingInput {
    request_id: Value,
    names: Vec<String>,
}

/// A request of the CLI.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) id: &'a Value,
    pub(super) method: &'a str,
    pub(super) params: &'a RawValue,
    /// A helper asks, whose calls are not told: there is none to point at.
    pub(super) is_from_subagent: bool,
}

/// The questions that wait.
#[derive(Debug)]
pub(super) struct Approvals {
    waiting: HashMap<String, PendingApproval>,
    pending_input: Option<PendingInput>,
    host_answers: bool,
}

impl Approvals {
    pub(super) fn new(host_answers: bool) -> Self {
        Self { waiting: HashMap::new(), pending_input: None, host_answers }
    }

    /// Hands a request on; `None` when it is none that a person can answer.
    pub(super) fn ask(
        &mut self,
        request: Request<'_>,
        tools: &Tools,
        output: &mut RunOutput,
    ) -> Option<()> {
        let params = request.params;
        let (asked, form) = match request.method {
            "item/commandExecution/requestApproval" => {
                (command_approval(&read(params)?), AnswerFormat::Decision)
            }
            "item/fileChange/requestApproval" => {
                (patch_approval(&read(params)?, tools), AnswerFormat::Decision)
            }
            "item/permissions/requestApproval" => {
                let asked: ApprovalRequest = read(params)?;
                (permissions_approval(&asked), AnswerFormat::Permissions(asked.permissions))
            }
            "mcpServer/elicitation/request" => (mcp_approval(read(params)?), AnswerFormat::Elicitation),
            "item/tool/requestUserInput" => {
                self.request_input(request.id, read(params)?, output);
                return Some(());
            }
            _ => return None,
        };
        let approval_id = approval_id(request.id);
        output.event(Event::ApprovalRequested(ApprovalRequested {
            approval_id: approval_id.clone(),
            tool_call_id: asked.tool_call_id.clone().filter(|_| !request.is_from_subagent),
            ..asked
        }));
        self.waiting.insert(approval_id, PendingApproval { request_id: request.id.clone(), form });
        Some(())
    }

    fn request_input(&mut self, id: &Value, request: UserInputRequest, output: &mut RunOutput) {
        let names: Vec<String> =
            request.questions.iter().map(|question| question.id.clone()).collect();
        if !self.host_answers {
            return output.write_json(&answer_to(id, &names, None));
        }
        let texts = request.questions.iter().map(|question| {
            let labels = question.options.iter().flatten().map(|option| option.label.as_str());
            let labels: Vec<&str> = labels.collect();
            match labels.is_empty() {
                true => question.question.clone(),
                false => format!("{} ({})", question.question, labels.join(", ")),
            }
        });
        output.event(Event::InputRequested(InputRequested {
            question_id: approval_id(id),
            text: texts.collect::<Vec<_>>().join("\n"),
            schema: None,
        }));
        self.pending_input = Some(PendingInput { request_id: id.clone(), names });
    }

    /// A person answers in words what was asked in words (recording `user_input`).
    pub(super) fn answer(&mut self, text: &str, output: &mut RunOutput) -> Option<()> {
        let PendingInput { request_id, names } = self.pending_input.take()?;
        output.event(Event::UserMessage(UserMessage { text: text.to_owned() }));
        output.write_json(&answer_to(&request_id, &names, Some(text)));
        Some(())
    }

    pub(super) fn decide(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        let RespondRunParams { approval_id, outcome, .. } = respond_run_params;
        if let Some(question) = self.waiting.remove(approval_id) {
            let result = answer(&question.form, *outcome);
            output.write_json(&json!({"id": question.request_id, "result": result}));
        }
    }

    /// The CLI no longer waits: it took its question back, or has our answer already.
    pub(super) fn withdraw(&mut self, resolved: &RequestResolved, output: &mut RunOutput) {
        let approval_id = approval_id(&resolved.request_id);
        if self.waiting.remove(&approval_id).is_some() {
            output.event(Event::ApprovalResolved(ApprovalResolved {
                approval_id,
                outcome: ApprovalOutcome::RejectOnce,
                by: ApprovalResolver::Cancel,
            }));
        }
        let is_asked = |question: &mut PendingInput| question.request_id == resolved.request_id;
        self.pending_input.take_if(is_asked);
    }
}

fn approval_id(request_id: &Value) -> String {
    format!(
        "approval-{}",
        request_id.as_str().map_or_else(|| request_id.to_string(), str::to_owned)
    )
}

/// "Always" means this session: what would be kept for ever is never answered. "Never again" ends
/// the turn, the CLI's own way to be told so.
fn answer(form: &AnswerFormat, outcome: ApprovalOutcome) -> Value {
    match (form, outcome) {
        (AnswerFormat::Decision, ApprovalOutcome::AllowOnce) => json!({"decision": "accept"}),
        (AnswerFormat::Decision, ApprovalOutcome::AllowAlways) => json!({"decision": "acceptForSession"}),
        (AnswerFormat::Decision, ApprovalOutcome::RejectAlways) => json!({"decision": "cancel"}),
        (AnswerFormat::Decision, _) => json!({"decision": "decline"}),
        (AnswerFormat::Permissions(asked), ApprovalOutcome::AllowOnce) => {
            json!({"permissions": asked, "scope": "turn"})
        }
        (AnswerFormat::Permissions(asked), ApprovalOutcome::AllowAlways) => {
            json!({"permissions": asked, "scope": "session"})
        }
        (AnswerFormat::Permissions(_), _) => json!({"permissions": {}, "scope": "turn"}),
        (AnswerFormat::Elicitation, ApprovalOutcome::AllowOnce) => {
            json!({"action": "accept", "content": {}})
        }
        (AnswerFormat::Elicitation, ApprovalOutcome::AllowAlways) => {
            json!({"action": "accept", "content": {}, "_meta": {"persist": "session"}})
        }
        (AnswerFormat::Elicitation, ApprovalOutcome::RejectAlways) => json!({"action": "cancel"}),
        (AnswerFormat::Elicitation, _) => json!({"action": "decline"}),
    }
}

fn answer_to(request_id: &Value, names: &[String], text: Option<&str>) -> Value {
    let answers: JsonObject = match text {
        Some(text) => names.iter().map(|name| (name.clone(), json!({"answers": [text]}))).collect(),
        None => JsonObject::new(),
    };
    json!({"id": request_id, "result": {"answers": answers}})
}

fn question(
    category: ApprovalCategory,
    risk: ApprovalRisk,
    summary: &str,
    input: Option<Value>,
) -> ApprovalRequested {
    let option = |id: &str, kind| ApprovalOption { id: id.to_owned(), kind, label: None };
    ApprovalRequested {
        approval_id: String::new(),
        category,
        risk,
        summary: first_line(summary),
        tool_call_id: None,
        input,
        options: vec![
            option("accept", ApprovalOutcome::AllowOnce),
            option("acceptForSession", ApprovalOutcome::AllowAlways),
            option("decline", ApprovalOutcome::RejectOnce),
            option("cancel", ApprovalOutcome::RejectAlways),
        ],
        deadline_ms: None,
    }
}

/// The summary says what exactly would happen, so the command is shown as it would be run.
fn command_approval(request: &ApprovalRequest) -> ApprovalRequested {
    let command = request.command.as_deref().unwrap_or("a command");
    let (category, summary) = match &request.network_approval_context {
        Some(context) => {
            (ApprovalCategory::Network, format!("reach {} for {command}", context.host))
        }
        None => (ApprovalCategory::Execute, format!("run {command}")),
    };
    let input = json!({"command": request.command, "cwd": request.cwd, "reason": request.reason});
    let question = question(category, ApprovalRisk::High, &summary, Some(input));
    ApprovalRequested { tool_call_id: Some(request.item_id.clone()), ..question }
}

fn patch_approval(request: &ApprovalRequest, tools: &Tools) -> ApprovalRequested {
    let item = tools.get(&request.item_id);
    let summary = item.and_then(items::title).unwrap_or_else(|| "change files".to_owned());
    let input = item.map(items::input);
    let question = question(ApprovalCategory::Edit, ApprovalRisk::Med, &summary, input);
    ApprovalRequested { tool_call_id: Some(request.item_id.clone()), ..question }
}

fn permissions_approval(request: &ApprovalRequest) -> ApprovalRequested {
    let reason = request.reason.as_deref().unwrap_or("it does not say why");
    let summary = format!("grant more permissions: {reason}");
    let input = json!({"permissions": request.permissions});
    question(ApprovalCategory::Other, ApprovalRisk::High, &summary, Some(input))
}

fn mcp_approval(elicitation: Elicitation) -> ApprovalRequested {
    let summary = match elicitation.message.is_empty() {
        true => format!("use the MCP server {}", elicitation.server_name),
        false => elicitation.message,
    };
    let mut question =
        question(ApprovalCategory::Mcp, ApprovalRisk::High, &summary, elicitation.meta.tool_params);
    if !elicitation.meta.persist.iter().any(|span| span == "session") {
        question.options.retain(|option| option.kind != ApprovalOutcome::AllowAlways);
    }
    question
}
