//! Builds the lines for stdin that only Claude Code has; shared ones are in
//! [`od_sdk::stream_json::control`].

use od_sdk::stream_json::control::{control_request, text_block};
use serde_json::{Value, json};

/// The id of the `initialize` control request.
pub const INITIALIZE_ID: &str = "od-initialize";

/// Returns the line of a user message.
///
/// 2.1.197 searches only the last text block for `/commands` and `@files`, so `last_text` follows the
/// user's blocks. If it is empty, the CLI drops it before the request to the model (recordings
/// `sj_slash_string`, `sj_slash_blocks`).
pub fn user_line(mut blocks: Vec<Value>, last_text: &str, uuid: &str) -> Value {
    blocks.push(text_block(last_text));
    json!({
        "type": "user",
        "message": {"role": "user", "content": blocks},
        "parent_tool_use_id": null,
        "uuid": uuid,
    })
}

/// Returns a new id for an input line. The CLI drops a line whose id it has already seen in the
/// session.
pub fn new_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Returns the `initialize` request. The system prompt is in it and not in a flag, because argv is
/// limited in length and readable by every user of the machine.
pub fn initialize(system_prompt: Option<SystemPrompt<'_>>) -> Value {
    let mut request = json!({"subtype": "initialize"});
    match system_prompt {
        Some(SystemPrompt::Append(text)) => request["appendSystemPrompt"] = text.into(),
        Some(SystemPrompt::Replace(text)) => request["systemPrompt"] = text.into(),
        None => {}
    }
    control_request(INITIALIZE_ID, request)
}

/// How the run's system prompt is combined with the CLI's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemPrompt<'a> {
    /// It follows the CLI's own.
    Append(&'a str),
    /// It replaces the CLI's own.
    Replace(&'a str),
}

/// Returns the request for the usage of the subscription.
pub fn get_usage(request_id: &str) -> Value {
    control_request(request_id, json!({"subtype": "get_usage"}))
}
