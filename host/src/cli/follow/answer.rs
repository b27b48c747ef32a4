//! What an answer means: a typed line or a rule in, a reply to the run out. Pure.

use od_protocol::{
    ApprovalOutcome, ApprovalRequested, ApprovalResolver, InputRequested, RespondRunParams,
};

/// Something the agent waits for.
#[derive(Debug)]
pub(super) enum Question {
    /// A decision.
    Approval(ApprovalRequested),
    /// Words.
    Input(InputRequested),
}

impl Question {
    pub(super) fn is_approval(&self, approval_id: &str) -> bool {
        matches!(self, Self::Approval(approval) if approval.approval_id == approval_id)
    }
}

/// An answer on its way to the run.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// To an approval.
    Respond(RespondRunParams),
    /// To a question.
    Say(String),
}

/// What a typed line means; `None` asks again. The end of input is a denial.
pub(super) fn read_answer(question: &Question, line: Option<&str>) -> Option<Reply> {
    match question {
        Question::Input(_) => {
            let text = line.unwrap_or("(nobody is there to answer)").trim();
            Some(Reply::Say(text.to_owned())).filter(|_| !text.is_empty())
        }
        Question::Approval(approval) => read_decision(approval, line.unwrap_or("n").trim()),
    }
}

fn read_decision(approval: &ApprovalRequested, line: &str) -> Option<Reply> {
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

/// Whether the person wants to see everything before deciding.
pub(super) fn wants_to_see(line: Option<&str>) -> bool {
    line.is_some_and(|line| matches!(line.trim().to_lowercase().as_str(), "v" | "view"))
}

/// The answers on offer, for the person.
pub(super) fn choices(approval: &ApprovalRequested) -> &'static str {
    if offers(approval, ApprovalOutcome::AllowAlways) {
        "[y]es, [a]lways, [n]o, [v]iew all (n REASON tells the agent why):"
    } else {
        "[y]es, [n]o, [v]iew all (n REASON tells the agent why):"
    }
}

/// Yes, because the command line says so.
pub(super) fn allow_by_rule(approval: &ApprovalRequested) -> Reply {
    response(approval, allow(approval), None, ApprovalResolver::Policy)
}

/// No, with the reason for the agent.
pub(super) fn reject_by_rule(approval: &ApprovalRequested, message: String) -> Reply {
    response(approval, reject(approval), Some(message), ApprovalResolver::Policy)
}

fn offers(approval: &ApprovalRequested, outcome: ApprovalOutcome) -> bool {
    approval.options.iter().any(|option| option.kind == outcome)
}

/// Only offered answers may be given; the narrower one first.
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
        match read_answer(&Question::Approval(approval.clone()), line)? {
            Reply::Respond(response) => Some(response.outcome),
            Reply::Say(_) => None,
        }
    }

    #[test]
    fn a_line_is_a_decision_or_asked_again() {
        let approval = approval(ApprovalOutcome::ALL);
        assert_eq!(outcome(&approval, Some("y\n")), Some(ApprovalOutcome::AllowOnce));
        assert_eq!(outcome(&approval, Some("Always")), Some(ApprovalOutcome::AllowAlways));
        assert_eq!(outcome(&approval, Some("no")), Some(ApprovalOutcome::RejectOnce));
        assert_eq!(outcome(&approval, Some("")), None);
        assert_eq!(outcome(&approval, Some("yikes")), None);
        assert_eq!(outcome(&approval, None), Some(ApprovalOutcome::RejectOnce));
    }

    #[test]
    fn only_offered_answers_are_given() {
        let once = approval(&[ApprovalOutcome::AllowOnce, ApprovalOutcome::RejectAlways]);
        assert_eq!(outcome(&once, Some("a")), None);
        assert_eq!(outcome(&once, Some("n")), Some(ApprovalOutcome::RejectAlways));
        let always = approval(&[ApprovalOutcome::AllowAlways]);
        assert_eq!(outcome(&always, Some("y")), Some(ApprovalOutcome::AllowAlways));
    }

    #[test]
    fn a_reason_reaches_the_agent() {
        let question = Question::Approval(approval(ApprovalOutcome::ALL));
        let Some(Reply::Respond(response)) = read_answer(&question, Some("n use make instead\n"))
        else {
            panic!("a decision");
        };
        assert_eq!(response.message.as_deref(), Some("use make instead"));
        assert_eq!(response.by, Some(ApprovalResolver::User));
    }
}
