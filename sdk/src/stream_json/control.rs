//! What goes to the agent CLI's stdin: blocks of input lines and the control protocol. Only shapes,
//! no decisions.

use od_protocol::JsonObject;
use serde_json::{Value, json};

/// The id of the request that asks the agent CLI to stop.
const INTERRUPT_ID: &str = "od-interrupt";

/// A block of text.
pub fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A picture.
pub fn image_block(mime: &str, data: &str) -> Value {
    json!({
        "type": "image",
        "source": {"type": "base64", "media_type": mime, "data": data},
    })
}

/// Asks the agent CLI to stop what it does; unlike SIGTERM it ends its tools.
pub fn interrupt() -> Value {
    control_request(INTERRUPT_ID, json!({"subtype": "interrupt"}))
}

/// Lets a tool run, with this input, and makes these rules hold from now on.
pub fn allow(request_id: &str, input: &Value, rules: Vec<Value>) -> Value {
    let mut decision = json!({"behavior": "allow", "updatedInput": input});
    if !rules.is_empty() {
        decision["updatedPermissions"] = rules.into();
    }
    control_response(request_id, decision)
}

/// Keeps a tool from running.
pub fn deny(request_id: &str, message: &str) -> Value {
    let decision = json!({"behavior": "deny", "message": message, "interrupt": false});
    control_response(request_id, decision)
}

/// Answers a request this adapter does not know, so that the agent CLI does not wait for ever.
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

/// The reply to one of our requests, when the line is one.
pub fn reply_to<'a>(line: &'a Value, request_id: &str) -> Option<&'a JsonObject> {
    let response = line.get("response")?;
    if response.get("request_id")?.as_str()? != request_id {
        return None;
    }
    response.get("response")?.as_object()
}

/// A request of ours.
pub fn control_request(request_id: &str, request: Value) -> Value {
    json!({"type": "control_request", "request_id": request_id, "request": request})
}

fn control_response(request_id: &str, decision: Value) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": request_id, "response": decision},
    })
}
