//! What went wrong, in the CLI's words.

use serde::Deserialize;
use serde_json::Value;

/// The `error` notification.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ErrorNotification {
    /// What happened.
    pub error: TurnError,
    /// The CLI tries again by itself.
    pub will_retry: bool,
}

/// Why a turn failed.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TurnError {
    /// For people. A provider's 400 is its JSON as text.
    pub message: String,
    /// A word, or an object of one word with an HTTP status.
    pub codex_error_info: Value,
    /// With a retry: what the message leaves out.
    pub additional_details: Option<String>,
}

impl TurnError {
    /// The word in `codexErrorInfo`.
    pub fn word(&self) -> Option<&str> {
        match &self.codex_error_info {
            Value::String(word) => Some(word),
            Value::Object(object) => object.keys().next().map(String::as_str),
            _ => None,
        }
    }

    /// The HTTP status beside the word.
    pub fn http_status(&self) -> Option<u16> {
        let inside = self.codex_error_info.as_object()?.values().next()?;
        u16::try_from(inside.get("httpStatusCode")?.as_u64()?).ok()
    }
}
