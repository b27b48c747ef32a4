//! Builds the lines for stdin of the agent CLI: input blocks and the control protocol.

use od_protocol::JsonObject;
use serde_json::{Value, json};

/// The id of the interrupt request.
const INTERRUPT_ID: &str = "od-interrupt";

/// A block of text.
pub fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// An image block.
pub fn image_block(mime: &str, data: &str) -> Value {
    json!({
        "type": "image",
        "source": {"type": "base64", "media_type": mime, "data": data},
    })
}

/// Requests an interrupt; unlike SIGTERM it also ends the tools.
pub fn interrupt() -> Value {
    control_request(INTERRUPT_ID, json!({"subtype": "interrupt"}))
}

/// Allows a call with this input, and adds these rules.
pub fn allow(request_id: &str, input: &Value, rules: Vec<Value>) -> Value {
    let mut decision = json!({"behavior": "allow", "updatedInput": input});
    if !rules.is_empty() {
        decision["updatedPermissions"] = rules.into();
    }
    control_response(request_id, decision)
}

/// Denies a call.
pub fn deny(request_id: &str, message: &str) -> Value {
    let decision = json!({"behavior": "deny", "message": message, "interrupt": false});
    control_response(request_id, decision)
}

/// Rejects an unknown request, so that the agent CLI does not wait for a reply.
pub fn refuse(request_id: &str, subtype: &str) -> Value {
    json!({
        "type": "control_response",
        "response": {
            "subtype": "error",
            "request_id": request_id,
            "error": format!("the host does not answer {subtype:?}"),
        },
    })
}

/// Parses the reply to one of our requests.
pub fn reply_to<'a>(line: &'a Value, request_id: &str) -> Option<&'a JsonObject> {
    let response = line.get("response")?;
    if response.get("request_id")?.as_str()? != request_id {
        return None;
    }
    response.get("response")?.as_object()
}

/// Builds a request.
pub fn control_request(request_id: &str, request: Value) -> Value {
    json!({"type": "control_request", "request_id": request_id, "request": request})
}

fn control_response(request_id: &str, decision: Value) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": request_id, "response": decision},
    })
}
