//! `can_use_tool`: approvals, and the questions of the tool AskUserQuestion.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalRisk, Event, InputRequested, JsonObject, UserMessage};
use od_sdk::RunOutput;
use od_sdk::approval::assess_named_risk;
use od_sdk::stream_json::{self, ControlRequest, ControlRequestLine, Question};
use serde_json::Value;

use super::tools::Tools;
use crate::tool_names;

/// The tool that asks the user a question.
const QUESTION_TOOL: &str = "AskUserQuestion";

/// Questions that wait for a text from the user.
#[derive(Debug)]
struct PendingQuestions {
    approval_id: String,
    questions: Vec<String>,
}

/// The pending approvals.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    pending: stream_json::Approvals,
    /// Those that the user may answer with a text.
    questions: Vec<PendingQuestions>,
}

impl Approvals {
    pub(super) fn ask(&mut self, line: ControlRequestLine, output: &mut RunOutput) {
        let questions = questions(&line.request);
        let approval_id = line.request_id.clone();
        let question = approval_question(&line.request);
        self.pending.ask(line, question, output);
        if !questions.is_empty() {
            output.event(Event::InputRequested(InputRequested {
                question_id: approval_id.clone(),
                text: questions.join("\n"),
                schema: None,
            }));
            self.questions.push(PendingQuestions { approval_id, questions });
        }
    }

    pub(super) fn decide(
        &mut self,
        respond_run_params: &RespondRunParams,
        tools: &mut Tools,
        output: &mut RunOutput,
    ) {
        self.remove_questions(&respond_run_params.approval_id);
        if let Some(call_id) = self.pending.decide(respond_run_params, output) {
            tools.mark_denied(&call_id);
        }
    }

    /// Answers the last questions with the user's input (recording `sj_question`); `None` if none
    /// are pending.
    pub(super) fn answer(&mut self, text: &str, output: &mut RunOutput) -> Option<()> {
        let PendingQuestions { approval_id, questions } = self.questions.pop()?;
        let answers = questions.into_iter().map(|question| (question, Value::from(text)));
        let complete = |input: &mut Value| {
            input["answers"] = answers.collect::<JsonObject>().into();
        };
        self.pending.answer(&approval_id, complete, output);
        output.event(Event::UserMessage(UserMessage { text: text.to_owned() }));
        Some(())
    }

    /// The CLI withdraws its request (recording `sj_perm_hang`).
    pub(super) fn withdraw(&mut self, approval_id: &str, output: &mut RunOutput) {
        self.remove_questions(approval_id);
        self.pending.withdraw(approval_id, output);
    }

    fn remove_questions(&mut self, approval_id: &str) {
        self.questions.retain(|pending| pending.approval_id != approval_id);
    }
}

fn approval_question(request: &ControlRequest) -> Question {
    let (category, risk) =
        assess_named_risk(&request.tool_name, tool_names::kind(&request.tool_name));
    Question {
        category,
        // The path is outside the allowed folders.
        risk: if request.blocked_path.is_some() { ApprovalRisk::High } else { risk },
        summary: summary(request),
        rules: request.permission_suggestions.iter().cloned().map(limit_to_session).collect(),
    }
}

/// "Always" applies to the session: a suggested rule is not saved in the project's settings
/// (recording `sj_approval_always`).
fn limit_to_session(mut rule: Value) -> Value {
    if let Some(rule) = rule.as_object_mut() {
        rule.insert("destination".to_owned(), "session".into());
    }
    rule
}

/// One line that describes the action.
fn summary(request: &ControlRequest) -> String {
    let title = tool_names::title(&request.tool_name, &request.input);
    match (request.tool_name.as_str(), title) {
        ("Bash", Some(command)) => format!("run {command}"),
        (QUESTION_TOOL, _) => questions(request).join(" "),
        (_, Some(title)) => title,
        (name, None) => format!("use {name}"),
    }
}

/// The questions of AskUserQuestion; `updatedInput.answers` has the answers, by question.
fn questions(request: &ControlRequest) -> Vec<String> {
    if request.tool_name != QUESTION_TOOL {
        return Vec::new();
    }
    let questions = request.input.get("questions").and_then(Value::as_array);
    let texts = questions.into_iter().flatten().filter_map(|item| item.get("question")?.as_str());
    texts.map(str::to_owned).collect()
}
