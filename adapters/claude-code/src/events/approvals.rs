//! `can_use_tool` in Claude Code's words: what is asked, and the tool that asks in words.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalRisk, Event, InputRequested, JsonObject, UserMessage};
use od_sdk::RunOutput;
use od_sdk::stream_json::{self, ControlRequest, ControlRequestLine, Question, judge};
use serde_json::Value;

use super::tools::Tools;
use super::words;

/// The tool that asks a person something instead of doing something.
const QUESTION_TOOL: &str = "AskUserQuestion";

/// What a person is asked in words.
#[derive(Debug)]
struct Asked {
    approval_id: String,
    questions: Vec<String>,
}

/// The questions that wait.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    waiting: stream_json::Approvals,
    asked: Vec<Asked>,
}

impl Approvals {
    pub(super) fn ask(&mut self, line: ControlRequestLine, output: &mut RunOutput) {
        let questions = questions(&line.request);
        let approval_id = line.request_id.clone();
        let question = question(&line.request);
        self.waiting.ask(line, question, output);
        if !questions.is_empty() {
            output.event(Event::InputRequested(InputRequested {
                question_id: approval_id.clone(),
                text: questions.join("\n"),
                schema: None,
            }));
            self.asked.push(Asked { approval_id, questions });
        }
    }

    pub(super) fn decide(
        &mut self,
        respond_run_params: &RespondRunParams,
        tools: &mut Tools,
        output: &mut RunOutput,
    ) {
        self.forget(&respond_run_params.approval_id);
        if let Some(call_id) = self.waiting.decide(respond_run_params, output) {
            tools.mark_denied(&call_id);
        }
    }

    /// A person answers in words what was asked in words (recording `sj_question`).
    pub(super) fn answer(&mut self, text: &str, output: &mut RunOutput) -> Option<()> {
        let Asked { approval_id, questions } = self.asked.pop()?;
        let answers = questions.into_iter().map(|question| (question, Value::from(text)));
        let complete = |input: &mut Value| {
            input["answers"] = answers.collect::<JsonObject>().into();
        };
        self.waiting.answer(&approval_id, complete, output);
        output.event(Event::UserMessage(UserMessage { text: text.to_owned() }));
        Some(())
    }

    /// The CLI takes its question back (recording `sj_perm_hang`).
    pub(super) fn withdraw(&mut self, approval_id: &str, output: &mut RunOutput) {
        self.forget(approval_id);
        self.waiting.withdraw(approval_id, output);
    }

    fn forget(&mut self, approval_id: &str) {
        self.asked.retain(|asked| asked.approval_id != approval_id);
    }
}

fn question(request: &ControlRequest) -> Question {
    let (category, risk) = judge(&request.tool_name, words::kind(&request.tool_name));
    Question {
        category,
        // A path outside the allowed folders.
        risk: if request.blocked_path.is_some() { ApprovalRisk::High } else { risk },
        summary: summary(request),
        rules: request.permission_suggestions.iter().cloned().map(for_this_session).collect(),
    }
}

/// "Always" means this run: a suggestion that would be saved into the project's settings is
/// made one for the session.
fn for_this_session(mut rule: Value) -> Value {
    if let Some(rule) = rule.as_object_mut() {
        rule.insert("destination".to_owned(), "session".into());
    }
    rule
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
