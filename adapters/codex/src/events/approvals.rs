//! The CLI's requests for approval and for user input, and the answers.

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
use super::{items, read};
use crate::native::{ApprovalRequest, Elicitation, RequestResolved, UserInputRequest};

/// The format of the answer.
#[derive(Debug)]
enum AnswerFormat {
    /// A decision on a command or a patch.
    Decision,
    /// Permissions; contains the requested ones.
    Permissions(Value),
    /// A decision on a tool of an MCP server.
    Elicitation,
}

/// An approval without an answer.
#[derive(Debug)]
struct PendingApproval {
    request_id: Value,
    format: AnswerFormat,
}

/// A request for user input without an answer.
#[derive(Debug)]
struct PendingInput {
    request_id: Value,
    question_ids: Vec<String>,
}

/// A request of the CLI.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) id: &'a Value,
    pub(super) method: &'a str,
    pub(super) params: &'a RawValue,
    /// The request comes from a subagent, whose tool calls are not emitted.
    pub(super) is_from_subagent: bool,
}

/// The requests without an answer.
#[derive(Debug)]
pub(super) struct Approvals {
    pending: HashMap<String, PendingApproval>,
    pending_input: Option<PendingInput>,
    host_answers: bool,
}

impl Approvals {
    pub(super) fn new(host_answers: bool) -> Self {
        Self { pending: HashMap::new(), pending_input: None, host_answers }
    }

    /// Emits a request; `None` if the user cannot answer it.
    pub(super) fn on_request(
        &mut self,
        request: Request<'_>,
        tools: &Tools,
        output: &mut RunOutput,
    ) -> Option<()> {
        let params = request.params;
        let (approval, format) = match request.method {
            "item/commandExecution/requestApproval" => {
                (command_approval(&read(params)?), AnswerFormat::Decision)
            }
            "item/fileChange/requestApproval" => {
                (patch_approval(&read(params)?, tools), AnswerFormat::Decision)
            }
            "item/permissions/requestApproval" => {
                let request: ApprovalRequest = read(params)?;
                (permissions_approval(&request), AnswerFormat::Permissions(request.permissions))
            }
            "mcpServer/elicitation/request" => {
                (mcp_approval(read(params)?), AnswerFormat::Elicitation)
            }
            "item/tool/requestUserInput" => {
                self.request_input(request.id, read(params)?, output);
                return Some(());
            }
            _ => return None,
        };
        let approval_id = approval_id(request.id);
        output.event(Event::ApprovalRequested(ApprovalRequested {
            approval_id: approval_id.clone(),
            tool_call_id: approval.tool_call_id.clone().filter(|_| !request.is_from_subagent),
            ..approval
        }));
        self.pending
            .insert(approval_id, PendingApproval { request_id: request.id.clone(), format });
        Some(())
    }

    fn request_input(&mut self, id: &Value, request: UserInputRequest, output: &mut RunOutput) {
        let question_ids: Vec<String> =
            request.questions.iter().map(|question| question.id.clone()).collect();
        if !self.host_answers {
            return output.write_json(&input_answer(id, &question_ids, None));
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
        self.pending_input = Some(PendingInput { request_id: id.clone(), question_ids });
    }

    /// Answers the request for user input, if there is one (recording `user_input`).
    pub(super) fn answer_input(&mut self, text: &str, output: &mut RunOutput) -> Option<()> {
        let PendingInput { request_id, question_ids } = self.pending_input.take()?;
        output.event(Event::UserMessage(UserMessage { text: text.to_owned() }));
        output.write_json(&input_answer(&request_id, &question_ids, Some(text)));
        Some(())
    }

    pub(super) fn decide(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        let RespondRunParams { approval_id, outcome, .. } = respond_run_params;
        if let Some(approval) = self.pending.remove(approval_id) {
            let result = answer(&approval.format, *outcome);
            output.write_json(&json!({"id": approval.request_id, "result": result}));
        }
    }

    /// The CLI no longer waits: it withdrew its request, or it has our answer.
    pub(super) fn withdraw(&mut self, resolved: &RequestResolved, output: &mut RunOutput) {
        let approval_id = approval_id(&resolved.request_id);
        if self.pending.remove(&approval_id).is_some() {
            output.event(Event::ApprovalResolved(ApprovalResolved {
                approval_id,
                outcome: ApprovalOutcome::RejectOnce,
                by: ApprovalResolver::Cancel,
            }));
        }
        let is_resolved = |input: &mut PendingInput| input.request_id == resolved.request_id;
        self.pending_input.take_if(is_resolved);
    }
}

fn approval_id(request_id: &Value) -> String {
    format!(
        "approval-{}",
        request_id.as_str().map_or_else(|| request_id.to_string(), str::to_owned)
    )
}

/// "Always" means this session: the adapter never sends a decision that the CLI would store. "Reject
/// always" ends the turn, because the CLI has no lasting rejection.
fn answer(format: &AnswerFormat, outcome: ApprovalOutcome) -> Value {
    match (format, outcome) {
        (AnswerFormat::Decision, ApprovalOutcome::AllowOnce) => json!({"decision": "accept"}),
        (AnswerFormat::Decision, ApprovalOutcome::AllowAlways) => {
            json!({"decision": "acceptForSession"})
        }
        (AnswerFormat::Decision, ApprovalOutcome::RejectAlways) => json!({"decision": "cancel"}),
        (AnswerFormat::Decision, _) => json!({"decision": "decline"}),
        (AnswerFormat::Permissions(requested), ApprovalOutcome::AllowOnce) => {
            json!({"permissions": requested, "scope": "turn"})
        }
        (AnswerFormat::Permissions(requested), ApprovalOutcome::AllowAlways) => {
            json!({"permissions": requested, "scope": "session"})
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

fn input_answer(request_id: &Value, question_ids: &[String], text: Option<&str>) -> Value {
    let answers: JsonObject = match text {
        Some(text) => {
            question_ids.iter().map(|id| (id.clone(), json!({"answers": [text]}))).collect()
        }
        None => JsonObject::new(),
    };
    json!({"id": request_id, "result": {"answers": answers}})
}

fn approval(
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

/// The summary contains the command as it would run.
fn command_approval(request: &ApprovalRequest) -> ApprovalRequested {
    let command = request.command.as_deref().unwrap_or("a command");
    let (category, summary) = match &request.network_approval_context {
        Some(context) => {
            (ApprovalCategory::Network, format!("access {} for {command}", context.host))
        }
        None => (ApprovalCategory::Execute, format!("run {command}")),
    };
    let input = json!({"command": request.command, "cwd": request.cwd, "reason": request.reason});
    let approval = approval(category, ApprovalRisk::High, &summary, Some(input));
    ApprovalRequested { tool_call_id: Some(request.item_id.clone()), ..approval }
}

fn patch_approval(request: &ApprovalRequest, tools: &Tools) -> ApprovalRequested {
    let item = tools.get(&request.item_id);
    let summary = item.and_then(items::title).unwrap_or_else(|| "change files".to_owned());
    let input = item.map(items::input);
    let approval = approval(ApprovalCategory::Edit, ApprovalRisk::Med, &summary, input);
    ApprovalRequested { tool_call_id: Some(request.item_id.clone()), ..approval }
}

fn permissions_approval(request: &ApprovalRequest) -> ApprovalRequested {
    let reason = request.reason.as_deref().unwrap_or("no reason given");
    let summary = format!("grant more permissions: {reason}");
    let input = json!({"permissions": request.permissions});
    approval(ApprovalCategory::Other, ApprovalRisk::High, &summary, Some(input))
}

fn mcp_approval(elicitation: Elicitation) -> ApprovalRequested {
    let summary = match elicitation.message.is_empty() {
        true => format!("use the MCP server {}", elicitation.server_name),
        false => elicitation.message,
    };
    let mut approval =
        approval(ApprovalCategory::Mcp, ApprovalRisk::High, &summary, elicitation.meta.tool_params);
    if !elicitation.meta.persist.iter().any(|scope| scope == "session") {
        approval.options.retain(|option| option.kind != ApprovalOutcome::AllowAlways);
    }
    approval
}
