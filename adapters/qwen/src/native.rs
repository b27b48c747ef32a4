//! The words of `qwen --output-format stream-json` that are Qwen Code's own; those it shares with
//! others are in [`od_sdk::stream_json`]. Nothing here decides anything: fields that are not named
//! are ignored, missing ones have a default.

use od_sdk::stream_json::TokenUsage;
use serde::Deserialize;

/// A line of type `result`: the end of a turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultLine {
    /// It failed; but a failure of the model is told as success (recording `auth`).
    pub is_error: bool,
    /// `success`, `error_during_execution`, `error_max_turns`.
    pub subtype: String,
    /// With `is_error`.
    pub error: Option<ResultError>,
    /// Tokens of the whole session so far, earlier processes included (recording `resume`).
    pub usage: Option<TokenUsage>,
}

/// What went wrong.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultError {
    /// For people.
    pub message: String,
}
