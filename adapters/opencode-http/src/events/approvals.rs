//! The agent asks, a person or a rule decides; helpers ask in sessions of their own.

use std::collections::HashSet;

use od_protocol::{
    ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalResolved,
    ApprovalResolver, ApprovalRisk, Event, InputRequested,
};
use od_sdk::RunOutput;
use od_sdk::parts::PartMapper;
use od_sdk::wording::first_line;
use serde_json::Value;

use crate::native::{PermissionAsked, PermissionReplied, QuestionAsked};

/// The questions that wait, and who may ask.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    waiting: HashSet<String>,
    /// A question in words, with how many there are.
    question: Option<(String, usize)>,
    helpers: HashSet<String>,
}

impl Approvals {
    /// Whether a session is the run's own or a helper's.
    pub(super) fn is_known(&self, session_id: &str, own: &str) -> bool {
        session_id == own || self.helpers.contains(session_id)
    }

    pub(super) fn add_helper(&mut self, session_id: &str) {
        self.helpers.insert(session_id.to_owned());
    }

    pub(super) fn ask(
        &mut self,
        asked: PermissionAsked,
        parts: &PartMapper,
        output: &mut RunOutput,
    ) {
        let (category, risk) = weigh(&asked.permission);
        output.event(Event::ApprovalRequested(ApprovalRequested {
            approval_id: asked.id.clone(),
            category,
            risk,
            summary: summary(&asked),
            tool_call_id: asked.tool.map(|tool| parts.call_id(&tool.call_id)),
            input: Some(asked.metadata),
            options: vec![
                option("once", ApprovalOutcome::AllowOnce),
                option("always", ApprovalOutcome::AllowAlways),
                option("reject", ApprovalOutcome::RejectOnce),
            ],
            deadline_ms: None,
        }));
        self.waiting.insert(asked.id);
    }

    /// A decision came; `false` when the question does not wait any more.
    pub(super) fn decide(&mut self, approval_id: &str) -> bool {
        self.waiting.remove(approval_id)
    }

    /// Somebody else who talks to the same server was faster.
    pub(super) fn on_replied(&mut self, replied: &PermissionReplied, output: &mut RunOutput) {
        if self.waiting.remove(&replied.request_id) {
            let outcome = match replied.reply.as_str() {
                "once" => ApprovalOutcome::AllowOnce,
                "always" => ApprovalOutcome::AllowAlways,
                _ => ApprovalOutcome::RejectOnce,
            };
            output.event(Event::ApprovalResolved(ApprovalResolved {
                approval_id: replied.request_id.clone(),
                outcome,
                by: ApprovalResolver::User,
            }));
        }
    }

    /// The agent asks something in words.
    pub(super) fn on_question(&mut self, asked: QuestionAsked, output: &mut RunOutput) {
        let texts: Vec<&str> =
            asked.questions.iter().map(|question| question.question.as_str()).collect();
        output.event(Event::InputRequested(InputRequested {
            question_id: asked.id.clone(),
            text: texts.join("\n"),
            schema: None,
        }));
        self.question = Some((asked.id, asked.questions.len()));
    }

    /// The question in words that waits; whoever takes it answers it.
    pub(super) fn take_question(&mut self) -> Option<(String, usize)> {
        self.question.take()
    }
}

fn option(id: &str, kind: ApprovalOutcome) -> ApprovalOption {
    ApprovalOption { id: id.to_owned(), kind, label: None }
}

/// What a permission is about, and how much harm a wrong answer can do.
fn weigh(permission: &str) -> (ApprovalCategory, ApprovalRisk) {
    match permission {
        "bash" => (ApprovalCategory::Execute, ApprovalRisk::High),
        "edit" => (ApprovalCategory::Edit, ApprovalRisk::Med),
        "read" | "glob" | "grep" | "list" | "lsp" | "skill" => {
            (ApprovalCategory::Read, ApprovalRisk::Low)
        }
        // Asked for whatever leaves the working folder, writing included.
        "external_directory" => (ApprovalCategory::Read, ApprovalRisk::High),
        "webfetch" | "websearch" | "codesearch" => (ApprovalCategory::Network, ApprovalRisk::High),
        _ => (ApprovalCategory::Other, ApprovalRisk::Med),
    }
}

/// One line: what exactly would happen.
fn summary(asked: &PermissionAsked) -> String {
    let field = |key: &str| asked.metadata.get(key).and_then(Value::as_str);
    let subject = field("command").or(field("filepath")).or(field("url"));
    let subject = subject.map_or_else(|| asked.patterns.join(", "), str::to_owned);
    let verb = match asked.permission.as_str() {
        "bash" => "run",
        "external_directory" => "leave the working folder for",
        other => other,
    };
    first_line(&format!("{verb} {subject}"))
}
