//! Line types of `qwen --output-format stream-json` that only Qwen Code has; shared ones are in
//! [`od_sdk::stream_json`]. Unknown fields are ignored, missing ones have a default.

use od_sdk::stream_json::TokenUsage;
use serde::Deserialize;

/// A line of type `result`: the end of a turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultLine {
    /// Whether the turn failed. A failed model request is reported as success (recording `auth`).
    pub is_error: bool,
    /// `success`, `error_during_execution`, `error_max_turns`.
    pub subtype: String,
    /// Present with `is_error`.
    pub error: Option<ResultError>,
    /// Tokens of the whole session so far, earlier processes included (recording `resume`).
    pub usage: Option<TokenUsage>,
}

/// The error of a failed turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultError {
    /// The error text.
    pub message: String,
}
