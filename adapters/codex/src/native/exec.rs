//! Lines of `codex exec --json`. The items are those of the app server, in snake case.

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
    /// For `thread.started`.
    #[serde(default)]
    pub thread_id: Option<String>,
    /// For `item.*`.
    #[serde(default)]
    pub item: Option<Box<Item>>,
    /// For `turn.completed`: the usage of the whole thread, earlier runs included.
    #[serde(default)]
    pub usage: Option<TokenUsage>,
    /// For `error`.
    #[serde(default)]
    pub message: String,
    /// For `turn.failed`.
    #[serde(default)]
    pub error: Option<ExecError>,
}

/// The error of a turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ExecError {
    /// The error text; it has no code.
    pub message: String,
}
