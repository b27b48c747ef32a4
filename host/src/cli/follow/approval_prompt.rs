//! Approvals and questions of the agent, answered by rules or by the user at the terminal.

use std::collections::VecDeque;
use std::io::IsTerminal;

use od_protocol::{ApprovalRequested, Event, InputRequested, ToolCallStarted};

use super::answer::{
    Question, Reply, allow_by_rule, choices, is_view, parse_answer, reject_by_rule,
};
use crate::cli::labels;
use crate::cli::print::{print_to_stderr, print_warning};
use crate::cli::render::{excerpt_of_input, input_lines};
use crate::cli::terminal::{PROMPT, TypedLines, paint, sanitize, single_line};

/// Tool calls whose names are kept; an approval follows its call closely.
const MAX_TRACKED_CALLS: usize = 256;

/// Width of an input that is shown outside the feed.
const INPUT_COLUMNS: usize = 76;

/// The approval options of the command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnswerRules {
    /// Allow everything.
    pub(crate) yes: bool,
    /// Allow tools with these exact names.
    pub(crate) allowed_tools: Vec<String>,
    /// Ask the user when there is a terminal.
    pub(crate) ask: bool,
}

/// The open questions and how they are answered.
#[derive(Debug)]
pub(crate) struct ApprovalPrompt {
    rules: AnswerRules,
    lines: Option<TypedLines>,
    calls: VecDeque<(String, String)>,
    open: VecDeque<Question>,
    /// The first open question is on the terminal.
    is_asking: bool,
}

impl ApprovalPrompt {
    /// Answers by the rules, and asks the user where the rules allow it.
    pub(crate) fn new(rules: AnswerRules) -> Self {
        Self { rules, lines: None, calls: VecDeque::new(), open: VecDeque::new(), is_asking: false }
    }

    /// Updates the open questions. Returns an answer that needs no user.
    pub(super) fn on_event(&mut self, event: &Event) -> Option<Reply> {
        match event {
            Event::ToolCallStarted(call) => self.track(call),
            Event::ApprovalRequested(approval) => return self.on_approval(approval),
            Event::ApprovalResolved(approval) => self.remove(&approval.approval_id),
            Event::InputRequested(question) => self.on_question(question),
            _ => {}
        }
        None
    }

    /// Whether a question is not on the terminal yet.
    pub(crate) fn has_unasked(&self) -> bool {
        !self.is_asking && !self.open.is_empty()
    }

    /// Whether a question is on the terminal.
    pub(crate) fn is_asking(&self) -> bool {
        self.is_asking
    }

    /// Prints the first open question; its details too, unless the feed shows them.
    pub(crate) fn ask(&mut self, is_shown_in_feed: bool) {
        let (Some(lines), Some(question)) = (&mut self.lines, self.open.front()) else { return };
        if !std::mem::replace(&mut self.is_asking, true) {
            lines.discard();
            if !is_shown_in_feed {
                show_details(question);
            }
        }
        self.prompt();
    }

    fn prompt(&self) {
        let Some(question) = self.open.front() else { return };
        match question {
            Question::Approval(approval) => {
                print_to_stderr(&format!("  {} {} ", paint(PROMPT, "allow?"), choices(approval)));
            }
            Question::Input(_) => print_to_stderr(&format!("  {} ", paint(PROMPT, "answer:"))),
        }
    }

    /// Waits for the user's answer to the question on the terminal. Cancel-safe.
    pub(super) async fn answer(&mut self) -> Reply {
        loop {
            let (Some(lines), true) = (&mut self.lines, self.is_asking) else {
                return std::future::pending().await;
            };
            let line = lines.next().await;
            let reply =
                self.open.front().and_then(|question| parse_answer(question, line.as_deref()));
            if let Some(reply) = reply {
                self.open.pop_front();
                self.is_asking = false;
                return reply;
            }
            if is_view(line.as_deref()) {
                self.show_all();
            }
            self.prompt();
        }
    }

    fn show_all(&self) {
        if let Some(Question::Approval(approval)) = self.open.front() {
            let lines: Vec<String> = approval.input.iter().flat_map(input_lines).collect();
            print_to_stderr(&format!("{}\n", lines.join("\n")));
        }
    }

    /// Whether there is a terminal to ask on; opens it for the first question.
    fn can_ask(&mut self) -> bool {
        if self.lines.is_none() && self.rules.ask && std::io::stderr().is_terminal() {
            self.lines = TypedLines::open();
        }
        self.lines.is_some()
    }

    fn track(&mut self, call: &ToolCallStarted) {
        if self.calls.len() == MAX_TRACKED_CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back((call.tool_call_id.clone(), call.name.clone()));
    }

    fn on_approval(&mut self, approval: &ApprovalRequested) -> Option<Reply> {
        let tool = self.tool_of(approval);
        let listed = tool.is_some_and(|tool| self.rules.allowed_tools.iter().any(|it| it == tool));
        if self.rules.yes || listed {
            return Some(allow_by_rule(approval));
        }
        if self.can_ask() {
            self.open.push_back(Question::Approval(approval.clone()));
            return None;
        }
        let tool = self.tool_of(approval);
        let switch = tool.map(|tool| format!("--allow-tool {} or ", single_line(tool)));
        let advice = format!("{}--yes", switch.unwrap_or_default());
        if self.rules.ask {
            let summary = single_line(&approval.summary);
            print_warning(&format!(
                "denied: no terminal to ask on: {summary}\nallow it with {advice}"
            ));
        }
        let message = format!("denied: no user to ask; {advice} would allow it");
        Some(reject_by_rule(approval, message))
    }

    fn on_question(&mut self, question: &InputRequested) {
        if self.can_ask() {
            self.open.push_back(Question::Input(question.clone()));
        } else if self.rules.ask {
            print_warning(&format!(
                "the agent asks: {}\nanswer with: od-host input last TEXT",
                single_line(&question.text)
            ));
        }
    }

    fn tool_of(&self, approval: &ApprovalRequested) -> Option<&str> {
        let call_id = approval.tool_call_id.as_ref()?;
        self.calls.iter().rev().find(|(id, _)| id == call_id).map(|(_, name)| name.as_str())
    }

    /// Removes a question that was answered elsewhere.
    fn remove(&mut self, approval_id: &str) {
        let first = self.open.front().is_some_and(|question| question.is_approval(approval_id));
        if first && std::mem::take(&mut self.is_asking) {
            print_to_stderr("\n");
        }
        self.open.retain(|question| !question.is_approval(approval_id));
    }
}

/// Prints the details of a question to stderr.
fn show_details(question: &Question) {
    let sign = paint(PROMPT, "?");
    let lines = match question {
        Question::Approval(approval) => {
            let about = format!("{sign} {}", labels::approval(approval));
            let input = approval
                .input
                .iter()
                .flat_map(|input| excerpt_of_input(input, INPUT_COLUMNS).lines);
            [about, single_line(&approval.summary)].into_iter().chain(input).collect()
        }
        Question::Input(question) => vec![format!("{sign} {}", sanitize(&question.text))],
    };
    print_to_stderr(&format!("{}\n", lines.join("\n  ")));
}

#[cfg(test)]
mod tests {
    use od_protocol::ApprovalOutcome;
    use serde_json::json;

    use super::*;

    /// The outcome of the rules for a call of the tool `Bash`.
    fn decide(rules: AnswerRules) -> (ApprovalOutcome, Option<String>) {
        let mut prompt = ApprovalPrompt::new(rules);
        let call = json!({"type": "tool_call_started", "toolCallId": "c", "name": "Bash", "kind": "execute"});
        let approval = json!({
            "type": "approval_requested", "approvalId": "a", "category": "execute", "risk": "high",
            "summary": "run ls", "toolCallId": "c", "deadlineMs": null,
            "options": [{"id": "y", "kind": "allow_once"}, {"id": "n", "kind": "reject_once"}],
        });
        assert_eq!(prompt.on_event(&serde_json::from_value(call).expect("an event")), None);
        let reply = prompt.on_event(&serde_json::from_value(approval).expect("an event"));
        match reply {
            Some(Reply::Respond(response)) => (response.outcome, response.message),
            other => panic!("no decision: {other:?}"),
        }
    }

    #[test]
    fn only_listed_tool_is_allowed() {
        let listed = |tool: &str| AnswerRules {
            allowed_tools: vec![tool.to_owned()],
            ..AnswerRules::default()
        };
        assert_eq!(decide(listed("Bash")).0, ApprovalOutcome::AllowOnce);
        assert_eq!(decide(listed("Bash(git:*)")).0, ApprovalOutcome::RejectOnce);
    }

    #[test]
    fn denial_names_options_that_allow_it() {
        let (outcome, message) = decide(AnswerRules::default());
        assert_eq!(outcome, ApprovalOutcome::RejectOnce);
        let message = message.expect("an explanation");
        assert!(message.contains("--allow-tool Bash or --yes"), "{message}");
    }
}
