//! `extension_ui_request`: approvals of tools, questions of extensions, and notifications.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{
    ApprovalOutcome, ApprovalRequested, ApprovalResolved, ApprovalResolver, Event, InputRequested,
    JsonObject, NoticeLevel, UserMessage,
};
use serde_json::{Value, json};

use super::session::notice;
use super::tools::Tools;
use crate::content::{kind, title};
use crate::native::DialogLine;
use crate::{ApprovalChoices, commands};
use od_sdk::text::first_line;
use od_sdk::{RunOutput, approval};

/// A pending question.
#[derive(Debug)]
struct Question {
    id: String,
    /// Whether the answer is yes or no.
    is_confirm: bool,
}

/// A pending approval: its id and its tool call.
#[derive(Debug)]
struct PendingApproval {
    id: String,
    call_id: Option<String>,
}

/// Pending dialogs.
#[derive(Debug)]
pub(super) struct Dialogs {
    choices: Option<ApprovalChoices>,
    /// Whether the client answers questions; otherwise they are dismissed at once.
    client_answers: bool,
    approvals: Vec<PendingApproval>,
    question: Option<Question>,
}

impl Dialogs {
    pub(super) fn new(choices: Option<ApprovalChoices>, client_answers: bool) -> Self {
        Self { choices, client_answers, approvals: Vec::new(), question: None }
    }

    /// Handles a request of the CLI; returns `None` for an unknown one.
    pub(super) fn on_request(
        &mut self,
        line: DialogLine,
        tools: &Tools,
        output: &mut RunOutput,
    ) -> Option<()> {
        match line.method.as_str() {
            "select" | "confirm" | "input" | "editor" => match self.tool_to_approve(&line) {
                Some(tool) => self.request_approval(&line, &tool, tools, output),
                None => self.request_input(&line, output),
            },
            "notify" => {
                let level = match line.notify_type.as_deref() {
                    Some("warning" | "error") => NoticeLevel::Warn,
                    _ => NoticeLevel::Info,
                };
                output.event(notice(level, "extension", line.message.unwrap_or(line.title)));
            }
            "cancel" => self.withdraw(line.target_id.as_deref().unwrap_or_default(), output),
            // Only for terminals.
            "setStatus" | "setWidget" | "setTitle" | "set_editor_text" => {}
            _ => return None,
        }
        Some(())
    }

    /// The tool that needs approval, if the dialog is such a request.
    fn tool_to_approve(&self, line: &DialogLine) -> Option<String> {
        let choices = self.choices.filter(|_| line.method == "select")?;
        let offers = |choice: &str| line.options.iter().any(|option| option == choice);
        let first = line.title.lines().next()?;
        let tool = first.strip_prefix(choices.title)?;
        (offers(choices.allow) && offers(choices.deny)).then(|| tool.to_owned())
    }

    fn request_approval(
        &mut self,
        line: &DialogLine,
        tool: &str,
        tools: &Tools,
        output: &mut RunOutput,
    ) {
        let waiting = tools.waiting(tool);
        let (category, risk) = approval::assess_named_risk(tool, kind(tool));
        output.event(Event::ApprovalRequested(ApprovalRequested {
            approval_id: line.id.clone(),
            category,
            risk,
            summary: summary(&line.title, tool, waiting.map(|(_, input)| input)),
            tool_call_id: waiting.map(|(id, _)| id.to_owned()),
            input: waiting.map(|(_, input)| input.clone()),
            options: vec![
                approval::option("allow_once", ApprovalOutcome::AllowOnce),
                approval::option("reject_once", ApprovalOutcome::RejectOnce),
            ],
            deadline_ms: None,
        }));
        let call_id = waiting.map(|(id, _)| id.to_owned());
        self.approvals.push(PendingApproval { id: line.id.clone(), call_id });
    }

    /// Writes a decision. The CLI does not support "always".
    pub(super) fn decide(
        &mut self,
        respond_run_params: &RespondRunParams,
        tools: &mut Tools,
        output: &mut RunOutput,
    ) {
        let is_decided = |approval: &PendingApproval| approval.id == respond_run_params.approval_id;
        let (Some(index), Some(choices)) =
            (self.approvals.iter().position(is_decided), self.choices)
        else {
            return;
        };
        let PendingApproval { id, call_id } = self.approvals.remove(index);
        let choice = match respond_run_params.outcome.is_allowed() {
            true => choices.allow,
            false => choices.deny,
        };
        if let Some(call_id) = call_id.filter(|_| choice == choices.deny) {
            tools.mark_denied(&call_id);
        }
        output.write_json(&commands::answer(&id, "value", choice));
    }

    /// Emits a question; dismisses it if the client does not answer questions.
    fn request_input(&mut self, line: &DialogLine, output: &mut RunOutput) {
        let text = match &line.message {
            Some(message) => format!("{}\n{message}", line.title),
            None => line.title.clone(),
        };
        if !self.client_answers {
            let text = format!(
                "dismissed, because the client does not answer questions: {}",
                first_line(&text)
            );
            output.event(notice(NoticeLevel::Warn, "question_dismissed", text));
            return output.write_json(&commands::answer(&line.id, "cancelled", true));
        }
        let is_confirm = line.method == "confirm";
        output.event(Event::InputRequested(InputRequested {
            question_id: line.id.clone(),
            text,
            schema: schema(line, is_confirm),
        }));
        self.question = Some(Question { id: line.id.clone(), is_confirm });
    }

    /// Writes the user's answer to the pending question.
    pub(super) fn answer(&mut self, text: &str, output: &mut RunOutput) -> Option<()> {
        let Question { id, is_confirm } = self.question.take()?;
        output.event(Event::UserMessage(UserMessage { text: text.to_owned() }));
        let answer = match is_confirm {
            true => commands::answer(&id, "confirmed", is_yes(text)),
            false => commands::answer(&id, "value", text),
        };
        output.write_json(&answer);
        Some(())
    }

    /// The agent continued: an open question was answered by its own timeout.
    pub(super) fn forget_question(&mut self) {
        self.question = None;
    }

    fn withdraw(&mut self, id: &str, output: &mut RunOutput) {
        self.question.take_if(|question| question.id == id);
        if let Some(index) = self.approvals.iter().position(|approval| approval.id == id) {
            self.approvals.remove(index);
            output.event(Event::ApprovalResolved(ApprovalResolved {
                approval_id: id.to_owned(),
                outcome: ApprovalOutcome::RejectOnce,
                by: ApprovalResolver::Cancel,
            }));
        }
    }
}

/// One line that describes the action: the title of the call, or the first detail of the request.
fn summary(dialog_title: &str, tool: &str, input: Option<&Value>) -> String {
    let detail =
        || dialog_title.lines().nth(1).map(|detail| format!("{tool}: {}", first_line(detail)));
    input.and_then(|input| title(tool, input)).or_else(detail).unwrap_or_else(|| tool.to_owned())
}

fn schema(line: &DialogLine, is_confirm: bool) -> Option<JsonObject> {
    let options: Vec<&Value> = match is_confirm {
        true => Vec::new(),
        false => line.options.iter().filter(|option| option.is_string()).collect(),
    };
    let schema = match (is_confirm, options.is_empty()) {
        (true, _) => json!({"type": "string", "enum": ["yes", "no"]}),
        (false, false) => json!({"type": "string", "enum": options}),
        (false, true) => return None,
    };
    schema.as_object().cloned()
}

fn is_yes(text: &str) -> bool {
    matches!(text.trim().to_lowercase().as_str(), "y" | "yes" | "true" | "ok" | "allow")
}
