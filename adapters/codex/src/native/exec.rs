//! The lines of `codex exec --json`. Their items are those of the app server with other spellings.

use std::borrow::Cow;

use serde::Deserialize;

use super::{Item, TokenUsage};

/// One line.
#[derive(Debug, Deserialize)]
pub struct ExecLine<'a> {
    /// `thread.started`, `turn.started`, `item.started`, `item.completed`, `turn.completed`,
    /// `turn.failed`, `error`.
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// With `thread.started`.
    #[serde(default)]
    pub thread_id: Option<String>,
    /// With `item.*`.
    #[serde(default)]
    pub item: Option<Box<Item>>,
    /// With `turn.completed`: of the whole thread, earlier runs included.
    #[serde(default)]
    pub usage: Option<TokenUsage>,
    /// With `error`.
    #[serde(default)]
    pub message: String,
    /// With `turn.failed`.
    #[serde(default)]
    pub error: Option<ExecError>,
}

/// Why a turn failed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ExecError {
    /// For people; there is no code.
    pub message: String,
}
