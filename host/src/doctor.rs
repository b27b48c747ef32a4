//! Everything that could be wrong, as data: the command line only prints it.

use serde::Serialize;

/// The verdict of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// All is well.
    Ok,
    /// It works, but look at it.
    Warn,
    /// It does not work.
    Fail,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// A stable name, such as `home.writable` or `agent.codex`.
    pub name: String,
    /// The verdict.
    pub status: CheckStatus,
    /// What was looked at and what it showed.
    pub found: String,
    /// What to type or change, unless all is well.
    pub fix: Option<String>,
}
