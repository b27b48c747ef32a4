//! Requests permission for a tool from the client.

use serde_json::{Value, json};

use super::fault::{AgentFault, Behaviour};
use super::serve::Reference;
use super::session::Session;

const ALLOW: &str = "allow-once";
const REJECT: &str = "reject-once";

/// Requests permission and waits; only an approval counts.
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
    let answer = reference.output.ask("session/request_permission", &params, |request_id| {
        session.stop.set_permission_request(Some(request_id.to_owned()));
    });
    // A client that has exited has approved nothing.
    let answer = answer.recv().unwrap_or_default();
    session.stop.set_permission_request(None);
    is_approval(reference.behaviour, &answer["outcome"])
}

fn is_approval(behaviour: Behaviour, outcome: &Value) -> bool {
    let option = outcome["optionId"].as_str();
    match (outcome["outcome"].as_str(), option) {
        (Some("selected"), Some(ALLOW)) => true,
        (Some("selected"), Some(REJECT)) => behaviour.has(AgentFault::RejectIsYes),
        (Some("selected"), _) => behaviour.has(AgentFault::StrangerIsYes),
        (Some("cancelled"), _) => behaviour.has(AgentFault::CancelledIsYes),
        _ => behaviour.has(AgentFault::ErrorIsYes),
    }
}
