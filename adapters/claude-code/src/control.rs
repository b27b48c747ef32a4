//! What goes to the CLI's stdin in Claude Code's own way; what others take too is in
//! [`od_sdk::stream_json::control`]. Only shapes, no decisions.

use od_sdk::stream_json::control::{control_request, text_block};
use serde_json::{Value, json};

/// The id of the request that opens a session.
pub const INITIALIZE_ID: &str = "od-initialize";

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
