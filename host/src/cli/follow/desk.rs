//! Questions of the agent and who answers them: a rule, the person at the terminal, or nobody.

use std::collections::VecDeque;
use std::io::IsTerminal;

use od_protocol::{ApprovalRequested, Event, InputRequested, ToolCallStarted};

use super::answer::{
    Question, Reply, allow_by_rule, choices, read_answer, reject_by_rule, wants_to_see,
};
use crate::cli::print::{print_to_stderr, print_warning};
use crate::cli::render::{input_lines, of_input};
use crate::cli::terminal::{ASK, TypedLines, paint, sanitize, single_line};
use crate::cli::words;

/// Tool calls whose names are remembered; an approval follows its call closely.
const REMEMBERED_CALLS: usize = 256;

/// Columns of an input that is told outside the feed.
const TOLD_COLUMNS: usize = 76;

/// What was said on the command line about approvals.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnswerRules {
    /// Allow everything.
    pub(crate) yes: bool,
    /// Allow these tools, by their exact names.
    pub(crate) allowed_tools: Vec<String>,
    /// A person may be asked where there is a terminal.
    pub(crate) ask: bool,
}

/// The open questions.
#[derive(Debug)]
pub(crate) struct Desk {
    rules: AnswerRules,
    lines: Option<TypedLines>,
    calls: VecDeque<(String, String)>,
    open: VecDeque<Question>,
    /// The first open question stands on the terminal.
    asked: bool,
}

impl Desk {
    /// A desk that answers by the rules, and by the terminal where the rules allow it.
    pub(crate) fn new(rules: AnswerRules) -> Self {
        Self { rules, lines: None, calls: VecDeque::new(), open: VecDeque::new(), asked: false }
    }

    /// Notes what the event means for the questions; an answer that needs no person comes at once.
    pub(super) fn on_event(&mut self, event: &Event) -> Option<Reply> {
        match event {
            Event::ToolCallStarted(call) => self.remember(call),
            Event::ApprovalRequested(approval) => return self.on_approval(approval),
            Event::ApprovalResolved(approval) => self.forget(&approval.approval_id),
            Event::InputRequested(question) => self.on_question(question),
            _ => {}
        }
        None
    }

    /// Whether a question waits that is not on the terminal yet.
    pub(crate) fn has_unasked(&self) -> bool {
        !self.asked && !self.open.is_empty()
    }

    /// Whether the person is being asked right now.
    pub(crate) fn is_asking(&self) -> bool {
        self.asked
    }

    /// Puts the first open question on the terminal; what it is about stands in the feed already,
    /// or else is told here.
    pub(crate) fn ask(&mut self, told_in_feed: bool) {
        let (Some(lines), Some(question)) = (&mut self.lines, self.open.front()) else { return };
        if !std::mem::replace(&mut self.asked, true) {
            lines.forget();
            if !told_in_feed {
                tell(question);
            }
        }
        self.prompt();
    }

    fn prompt(&self) {
        let Some(question) = self.open.front() else { return };
        match question {
            Question::Approval(approval) => {
                print_to_stderr(&format!("  {} {} ", paint(ASK, "allow?"), choices(approval)));
            }
            Question::Input(_) => print_to_stderr(&format!("  {} ", paint(ASK, "answer:"))),
        }
    }

    /// The person's answer to the question on the terminal. May be dropped while it waits.
    pub(super) async fn answer(&mut self) -> Reply {
        loop {
            let (Some(lines), true) = (&mut self.lines, self.asked) else {
                return std::future::pending().await;
            };
            let line = lines.next().await;
            let reply =
                self.open.front().and_then(|question| read_answer(question, line.as_deref()));
            if let Some(reply) = reply {
                self.open.pop_front();
                self.asked = false;
                return reply;
            }
            if wants_to_see(line.as_deref()) {
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

    /// Whether a person is at the terminal; looked at when the first question comes.
    fn can_ask(&mut self) -> bool {
        if self.lines.is_none() && self.rules.ask && std::io::stderr().is_terminal() {
            self.lines = TypedLines::open();
        }
        self.lines.is_some()
    }

    fn remember(&mut self, call: &ToolCallStarted) {
        if self.calls.len() == REMEMBERED_CALLS {
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
                "denied, for there is no terminal to ask on: {summary}\nallow it with {advice}"
            ));
        }
        let message = format!("denied: nobody can be asked, and {advice} was not given");
        Some(reject_by_rule(approval, message))
    }

    fn on_question(&mut self, question: &InputRequested) {
        if self.can_ask() {
            self.open.push_back(Question::Input(question.clone()));
        } else if self.rules.ask {
            print_warning(&format!(
                "the agent asks: {}\nanswer it with: od-host input last TEXT",
                single_line(&question.text)
            ));
        }
    }

    fn tool_of(&self, approval: &ApprovalRequested) -> Option<&str> {
        let call_id = approval.tool_call_id.as_ref()?;
        self.calls.iter().rev().find(|(id, _)| id == call_id).map(|(_, name)| name.as_str())
    }

    /// A question that was answered elsewhere leaves the terminal.
    fn forget(&mut self, approval_id: &str) {
        let first = self.open.front().is_some_and(|question| question.is_approval(approval_id));
        if first && std::mem::take(&mut self.asked) {
            print_to_stderr("\n");
        }
        self.open.retain(|question| !question.is_approval(approval_id));
    }
}

/// Tells on stderr what a question is about.
fn tell(question: &Question) {
    let sign = paint(ASK, "?");
    let lines = match question {
        Question::Approval(approval) => {
            let about = format!("{sign} {}", words::approval(approval));
            let input = approval.input.iter().flat_map(|input| of_input(input, TOLD_COLUMNS).lines);
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

    /// What the rules decide about a call of the tool `Bash`.
    fn decide(rules: AnswerRules) -> (ApprovalOutcome, Option<String>) {
        let mut desk = Desk::new(rules);
        let call = json!({"type": "tool_call_started", "toolCallId": "c", "name": "Bash", "kind": "execute"});
        let approval = json!({
            "type": "approval_requested", "approvalId": "a", "category": "execute", "risk": "high",
            "summary": "run ls", "toolCallId": "c", "deadlineMs": null,
            "options": [{"id": "y", "kind": "allow_once"}, {"id": "n", "kind": "reject_once"}],
        });
        assert_eq!(desk.on_event(&serde_json::from_value(call).expect("an event")), None);
        let reply = desk.on_event(&serde_json::from_value(approval).expect("an event"));
        match reply {
            Some(Reply::Respond(response)) => (response.outcome, response.message),
            other => panic!("no decision: {other:?}"),
        }
    }

    #[test]
    fn a_listed_tool_is_allowed_and_another_is_not() {
        let listed = |tool: &str| AnswerRules {
            allowed_tools: vec![tool.to_owned()],
            ..AnswerRules::default()
        };
        assert_eq!(decide(listed("Bash")).0, ApprovalOutcome::AllowOnce);
        assert_eq!(decide(listed("Bash(git:*)")).0, ApprovalOutcome::RejectOnce);
    }

    #[test]
    fn a_denial_tells_the_agent_what_would_allow_it() {
        let (outcome, message) = decide(AnswerRules::default());
        assert_eq!(outcome, ApprovalOutcome::RejectOnce);
        let message = message.expect("an explanation");
        assert!(message.contains("--allow-tool Bash or --yes"), "{message}");
    }
}
