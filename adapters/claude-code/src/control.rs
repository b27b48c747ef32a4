//! What goes to the CLI's stdin: input lines and the control protocol. Only shapes, no decisions.

use od_protocol::JsonObject;
use serde_json::{Value, json};

/// The id of the request that opens a session.
pub const INITIALIZE_ID: &str = "od-initialize";
/// The id of the request that asks the CLI to stop.
const INTERRUPT_ID: &str = "od-interrupt";

/// What a person says, as content blocks.
///
/// In 2.1.197 only the last text block is searched for `/commands` and `@files`, so a prompt that
/// shall be data is followed by a block of our own. An empty one never reaches the model
/// (recordings `sj_slash_string`, `sj_slash_blocks`).
pub fn user_line(mut blocks: Vec<Value>, last_text: &str, uuid: &str) -> Value {
    blocks.push(text_block(last_text));
    json!({
        "type": "user",
        "message": {"role": "user", "content": blocks},
        "parent_tool_use_id": null,
        "uuid": uuid,
    })
}

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

/// A fresh id for an input line. It must never repeat within a session: the CLI drops a line whose
/// id it has seen.
pub fn fresh_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Opens the session. The system prompt goes this way rather than by a flag: argv is limited and
/// every user of the machine can read it.
pub fn initialize(system_prompt: Option<SystemPrompt<'_>>) -> Value {
    let mut request = json!({"subtype": "initialize"});
    match system_prompt {
        Some(SystemPrompt::Append(text)) => request["appendSystemPrompt"] = text.into(),
        Some(SystemPrompt::Replace(text)) => request["systemPrompt"] = text.into(),
        None => {}
    }
    control_request(INITIALIZE_ID, request)
}

/// What a system prompt does to the CLI's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemPrompt<'a> {
    /// It follows it.
    Append(&'a str),
    /// It takes its place.
    Replace(&'a str),
}

/// Asks how much of a subscription is used.
pub fn get_usage(request_id: &str) -> Value {
    control_request(request_id, json!({"subtype": "get_usage"}))
}

/// Asks the CLI to stop what it does; unlike SIGTERM it ends its tools.
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

/// Answers a request this adapter does not know, so that the CLI does not wait for ever.
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

fn control_request(request_id: &str, request: Value) -> Value {
    json!({"type": "control_request", "request_id": request_id, "request": request})
}

fn control_response(request_id: &str, decision: Value) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": request_id, "response": decision},
    })
}
