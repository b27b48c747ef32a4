//! Commands of `--mode rpc`: one JSON object per line.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject, ImageInput};
use serde_json::{Value, json};

use super::Dialect;

/// The id of `get_state`.
pub const STATE_ID: &str = "od-state";
/// The id of the first prompt.
pub const PROMPT_ID: &str = "od-prompt";
/// The id of `get_available_models`.
pub const MODELS_ID: &str = "od-models";

/// Requests the session and the model.
pub fn get_state() -> Value {
    json!({"id": STATE_ID, "type": "get_state"})
}

/// Requests all configured models.
pub fn get_available_models() -> Value {
    json!({"id": MODELS_ID, "type": "get_available_models"})
}

/// The run's prompt. Text that looks like a command of the CLI is sent literally, if the CLI supports
/// that.
///
/// # Errors
/// An image without content.
pub fn prompt(start_run_params: &StartRunParams, dialect: &Dialect) -> Result<Value, ErrorObject> {
    let message = prompt_text(start_run_params);
    let command = match dialect.literal_prompt {
        Some(literal) if message.starts_with('/') => literal,
        _ => "prompt",
    };
    let mut line = json!({"id": PROMPT_ID, "type": command, "message": message});
    let images = images(&start_run_params.prompt.images)?;
    if !images.is_empty() {
        line["images"] = Value::Array(images);
    }
    Ok(line)
}

/// The prompt and the paths of attachments, which the CLI reads with its own tool.
pub fn prompt_text(start_run_params: &StartRunParams) -> String {
    let prompt = &start_run_params.prompt;
    let by_path = prompt.images.iter().filter(|image| image.data.is_none());
    let images = by_path.filter_map(|image| image.path.as_deref());
    let files: Vec<&str> = prompt.attachments.iter().map(String::as_str).chain(images).collect();
    match files.is_empty() {
        true => prompt.text.clone(),
        false => format!("{}\n\nAttached files:\n{}", prompt.text, files.join("\n")),
    }
}

/// Input during the run. A session that is idle by then takes it as a prompt.
pub fn input(id: &str, text: &str) -> Value {
    json!({"id": id, "type": "prompt", "message": text, "streamingBehavior": "steer"})
}

/// Aborts the agent, tools and retries included.
pub fn abort() -> Value {
    json!({"id": "od-abort", "type": "abort"})
}

/// The answer to a dialog: `value` or `confirmed`.
pub fn answer(id: &str, name: &str, value: impl Into<Value>) -> Value {
    let mut line = json!({"type": "extension_ui_response", "id": id});
    line[name] = value.into();
    line
}

fn images(images: &[ImageInput]) -> Result<Vec<Value>, ErrorObject> {
    if images.iter().any(|image| image.data.is_none() && image.path.is_none()) {
        let message = "an image has neither data nor path";
        return Err(ErrorObject::new(ErrorKind::ConfigInvalid, message)
            .with_hint("pass images as base64 or by path"));
    }
    let by_value = images.iter().filter_map(|image| Some((image.data.as_ref()?, &image.mime)));
    Ok(by_value
        .map(|(data, mime)| json!({"type": "image", "data": data, "mimeType": mime}))
        .collect())
}
