//! Permission requests and questions of the agent and its subagents, which have their own sessions.

use std::collections::HashSet;

use crate::PartMapper;
use od_protocol::{
    ApprovalCategory, ApprovalOutcome, ApprovalRequested, ApprovalResolved, ApprovalResolver,
    ApprovalRisk, Event, InputRequested,
};
use od_sdk::RunOutput;
use od_sdk::approval::option;
use od_sdk::text::first_line;
use serde_json::Value;

use crate::http::native::{PermissionAsked, PermissionReplied, QuestionAsked};

/// Pending requests, and the sessions that may send them.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    waiting: HashSet<String>,
    /// The pending question to the user, with the number of its parts.
    question: Option<(String, usize)>,
    subagent_sessions: HashSet<String>,
}

impl Approvals {
    /// Whether a session belongs to the run or to one of its subagents.
    pub(super) fn is_known(&self, session_id: &str, own: &str) -> bool {
        session_id == own || self.subagent_sessions.contains(session_id)
    }

    pub(super) fn add_subagent(&mut self, session_id: &str) {
        self.subagent_sessions.insert(session_id.to_owned());
    }

    pub(super) fn on_asked(
        &mut self,
        asked: PermissionAsked,
        parts: &PartMapper,
        output: &mut RunOutput,
    ) {
        let (category, risk) = assess_risk(&asked.permission);
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

    /// Removes a decided request; returns `false` if it is not pending any more.
    pub(super) fn decide(&mut self, approval_id: &str) -> bool {
        self.waiting.remove(approval_id)
    }

    /// Another client of the same server answered first.
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

    /// The agent asks the user a question.
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

    /// Takes the pending question; the caller must answer it.
    pub(super) fn take_question(&mut self) -> Option<(String, usize)> {
        self.question.take()
    }
}

/// The category of a permission, and the risk of a wrong decision.
fn assess_risk(permission: &str) -> (ApprovalCategory, ApprovalRisk) {
    match permission {
        "bash" => (ApprovalCategory::Execute, ApprovalRisk::High),
        "edit" => (ApprovalCategory::Edit, ApprovalRisk::Med),
        "read" | "glob" | "grep" | "list" | "lsp" | "skill" => {
            (ApprovalCategory::Read, ApprovalRisk::Low)
        }
        // Covers every access outside the working folder, writing included.
        "external_directory" => (ApprovalCategory::Read, ApprovalRisk::High),
        "webfetch" | "websearch" | "codesearch" => (ApprovalCategory::Network, ApprovalRisk::High),
        _ => (ApprovalCategory::Other, ApprovalRisk::Med),
    }
}

/// One line that describes the action.
fn summary(asked: &PermissionAsked) -> String {
    let field = |key: &str| asked.metadata.get(key).and_then(Value::as_str);
    let subject = field("command").or(field("filepath")).or(field("url"));
    let subject = subject.map_or_else(|| asked.patterns.join(", "), str::to_owned);
    let verb = match asked.permission.as_str() {
        "bash" => "run",
        "external_directory" => "access outside the working folder:",
        other => other,
    };
    first_line(&format!("{verb} {subject}"))
}
