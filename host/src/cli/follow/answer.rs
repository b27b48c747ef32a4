//! Turns a typed line or a rule into a reply to the run. Pure.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{ApprovalOutcome, ApprovalRequested, ApprovalResolver, InputRequested};

/// Something the agent waits for.
#[derive(Debug)]
pub(super) enum Question {
    /// An approval.
    Approval(ApprovalRequested),
    /// A text.
    Input(InputRequested),
}

impl Question {
    pub(super) fn is_approval(&self, approval_id: &str) -> bool {
        matches!(self, Self::Approval(approval) if approval.approval_id == approval_id)
    }
}

/// An answer for the run.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// The answer to an approval.
    Respond(RespondRunParams),
    /// The answer to a question.
    Input(String),
}

/// Parses a typed line; `None` asks again. The end of input means no.
pub(super) fn parse_answer(question: &Question, line: Option<&str>) -> Option<Reply> {
    match question {
        Question::Input(_) => {
            let text = line.unwrap_or("(no answer)").trim();
            Some(Reply::Input(text.to_owned())).filter(|_| !text.is_empty())
        }
        Question::Approval(approval) => parse_decision(approval, line.unwrap_or("n").trim()),
    }
}

fn parse_decision(approval: &ApprovalRequested, line: &str) -> Option<Reply> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let outcome = match word.to_lowercase().as_str() {
        "y" | "yes" => allow(approval),
        "a" | "always" if offers(approval, ApprovalOutcome::AllowAlways) => {
            ApprovalOutcome::AllowAlways
        }
        "n" | "no" => reject(approval),
        _ => return None,
    };
    let message = Some(rest.trim().to_owned()).filter(|text| !text.is_empty());
    Some(response(approval, outcome, message, ApprovalResolver::User))
}

/// Whether the user wants to see the whole input before deciding.
pub(super) fn is_view(line: Option<&str>) -> bool {
    line.is_some_and(|line| matches!(line.trim().to_lowercase().as_str(), "v" | "view"))
}

/// The possible answers, for the prompt.
pub(super) fn choices(approval: &ApprovalRequested) -> &'static str {
    if offers(approval, ApprovalOutcome::AllowAlways) {
        "[y]es, [a]lways, [n]o, [v]iew all (n REASON sends a reason):"
    } else {
        "[y]es, [n]o, [v]iew all (n REASON sends a reason):"
    }
}

/// Allows because of a rule on the command line.
pub(super) fn allow_by_rule(approval: &ApprovalRequested) -> Reply {
    response(approval, allow(approval), None, ApprovalResolver::Policy)
}

/// Denies with a reason for the agent.
pub(super) fn reject_by_rule(approval: &ApprovalRequested, message: String) -> Reply {
    response(approval, reject(approval), Some(message), ApprovalResolver::Policy)
}

fn offers(approval: &ApprovalRequested, outcome: ApprovalOutcome) -> bool {
    approval.options.iter().any(|option| option.kind == outcome)
}

/// Only offered outcomes are valid; prefers the narrower one.
fn allow(approval: &ApprovalRequested) -> ApprovalOutcome {
    let once = offers(approval, ApprovalOutcome::AllowOnce);
    let always = offers(approval, ApprovalOutcome::AllowAlways);
    if always && !once { ApprovalOutcome::AllowAlways } else { ApprovalOutcome::AllowOnce }
}

fn reject(approval: &ApprovalRequested) -> ApprovalOutcome {
    let once = offers(approval, ApprovalOutcome::RejectOnce);
    let always = offers(approval, ApprovalOutcome::RejectAlways);
    if always && !once { ApprovalOutcome::RejectAlways } else { ApprovalOutcome::RejectOnce }
}

fn response(
    approval: &ApprovalRequested,
    outcome: ApprovalOutcome,
    message: Option<String>,
    by: ApprovalResolver,
) -> Reply {
    Reply::Respond(RespondRunParams {
        run_id: String::new(),
        approval_id: approval.approval_id.clone(),
        outcome,
        updated_input: None,
        message,
        by: Some(by),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approval(options: &[ApprovalOutcome]) -> ApprovalRequested {
        let options: Vec<_> = options
            .iter()
            .map(|kind| serde_json::json!({"id": kind.as_str(), "kind": kind.as_str()}))
            .collect();
        let json = serde_json::json!({
            "approvalId": "a", "category": "execute", "risk": "high", "summary": "s",
            "options": options, "deadlineMs": null,
        });
        serde_json::from_value(json).expect("an approval")
    }

    fn outcome(approval: &ApprovalRequested, line: Option<&str>) -> Option<ApprovalOutcome> {
        match parse_answer(&Question::Approval(approval.clone()), line)? {
            Reply::Respond(response) => Some(response.outcome),
            Reply::Input(_) => None,
        }
    }

    #[test]
    fn line_is_decision_or_asked_again() {
        let approval = approval(ApprovalOutcome::ALL);
        assert_eq!(outcome(&approval, Some("y\n")), Some(ApprovalOutcome::AllowOnce));
        assert_eq!(outcome(&approval, Some("Always")), Some(ApprovalOutcome::AllowAlways));
        assert_eq!(outcome(&approval, Some("no")), Some(ApprovalOutcome::RejectOnce));
        assert_eq!(outcome(&approval, Some("")), None);
        assert_eq!(outcome(&approval, Some("yikes")), None);
        assert_eq!(outcome(&approval, None), Some(ApprovalOutcome::RejectOnce));
    }

    #[test]
    fn only_offered_outcomes_are_chosen() {
        let once = approval(&[ApprovalOutcome::AllowOnce, ApprovalOutcome::RejectAlways]);
        assert_eq!(outcome(&once, Some("a")), None);
        assert_eq!(outcome(&once, Some("n")), Some(ApprovalOutcome::RejectAlways));
        let always = approval(&[ApprovalOutcome::AllowAlways]);
        assert_eq!(outcome(&always, Some("y")), Some(ApprovalOutcome::AllowAlways));
    }

    #[test]
    fn reason_reaches_agent() {
        let question = Question::Approval(approval(ApprovalOutcome::ALL));
        let Some(Reply::Respond(response)) = parse_answer(&question, Some("n use make instead\n"))
        else {
            panic!("a decision");
        };
        assert_eq!(response.message.as_deref(), Some("use make instead"));
        assert_eq!(response.by, Some(ApprovalResolver::User));
    }
}
