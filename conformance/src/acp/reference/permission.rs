//! Asking the client whether a tool may work.

use serde_json::{Value, json};

use super::fault::{AgentFault, Behaviour};
use super::serve::Reference;
use super::session::Session;

const ALLOW: &str = "yes-once";
const REJECT: &str = "no-once";

/// Asks and waits; nothing but yes is yes.
pub(super) fn is_allowed(reference: &Reference, session: &Session, call: &Value) -> bool {
    let mut options = json!([
        {"optionId": ALLOW, "name": "Allow", "kind": "allow_once"},
        {"optionId": REJECT, "name": "Reject", "kind": "reject_once"},
    ]);
    if reference.behaviour.has(AgentFault::NamelessOptions)
        && let Some(option) = options[0].as_object_mut()
    {
        option.remove("name");
    }
    let params = json!({"sessionId": session.id, "toolCall": call, "options": options});
    let answer = reference.output.ask("session/request_permission", &params, |question| {
        session.stop.asking(Some(question.to_owned()));
    });
    // A client that is gone has allowed nothing.
    let answer = answer.recv().unwrap_or_default();
    session.stop.asking(None);
    means_yes(reference.behaviour, &answer["outcome"])
}

fn means_yes(behaviour: Behaviour, outcome: &Value) -> bool {
    let option = outcome["optionId"].as_str();
    match (outcome["outcome"].as_str(), option) {
        (Some("selected"), Some(ALLOW)) => true,
        (Some("selected"), Some(REJECT)) => behaviour.has(AgentFault::RejectIsYes),
        (Some("selected"), _) => behaviour.has(AgentFault::StrangerIsYes),
        (Some("cancelled"), _) => behaviour.has(AgentFault::CancelledIsYes),
        _ => behaviour.has(AgentFault::ErrorIsYes),
    }
}
