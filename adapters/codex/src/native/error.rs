//! Errors.

use serde::Deserialize;
use serde_json::Value;

/// The `error` notification.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ErrorNotification {
    /// The error.
    pub error: TurnError,
    /// Whether the CLI retries.
    pub will_retry: bool,
}

/// The error of a turn.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TurnError {
    /// The error text. For a status 400 it is the provider's JSON (recording `ctx400`).
    pub message: String,
    /// A code, or an object with the code as key and the HTTP status inside.
    pub codex_error_info: Value,
    /// For a retry: its reason.
    pub additional_details: Option<String>,
}

impl TurnError {
    /// The code in `codexErrorInfo`.
    pub fn code(&self) -> Option<&str> {
        match &self.codex_error_info {
            Value::String(code) => Some(code),
            Value::Object(object) => object.keys().next().map(String::as_str),
            _ => None,
        }
    }

    /// The HTTP status in `codexErrorInfo`.
    pub fn http_status(&self) -> Option<u16> {
        let inside = self.codex_error_info.as_object()?.values().next()?;
        u16::try_from(inside.get("httpStatusCode")?.as_u64()?).ok()
    }
}
