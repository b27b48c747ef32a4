//! One line of the ledger: the usage of one model in one attempt of a run.

use std::borrow::Cow;

use od_protocol::{Credential, DoneStatus, UsageSource};
use serde::{Deserialize, Serialize};

use super::token_usage::TokenUsage;

/// The version of the format. It changes only when an old reader would compute a wrong sum; a new member does not
/// change it.
pub(super) const FORMAT: u32 = 1;

/// One line. Strings are borrowed where possible, because a ledger has many lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LedgerRow<'a> {
    /// The version of the format; first in the line, so that damaged lines are easy to recognise.
    #[serde(rename = "v")]
    pub(super) format: u32,
    #[serde(borrow)]
    pub(super) run_id: Cow<'a, str>,
    /// From 1.
    pub(super) attempt: u32,
    #[serde(borrow)]
    pub(super) agent: Cow<'a, str>,
    /// Empty means not known.
    #[serde(borrow, default)]
    pub(super) model: Cow<'a, str>,
    /// The provider as the adapter reported it; empty means not known, `none` means that nothing is charged.
    #[serde(borrow, default)]
    pub(super) provider: Cow<'a, str>,
    /// Names a variable, a file or a plan, never a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) credential: Option<Credential>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<String>,
    /// When the run ended, in milliseconds since 1970; the run counts on that day.
    pub(super) ended_at: u64,
    #[serde(rename = "spent")]
    pub(super) tokens: TokenUsage,
    /// Where the figures come from; absent means that the attempt reported no usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<UsageSource>,
    pub(super) duration_ms: u64,
    pub(super) status: DoneStatus,
    /// The value of the session's own counter, when the agent CLI has one. Only in the last row of an attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session_reached: Option<TokenUsage>,
}

/// Parses a line; `None` when it is damaged or has a later version.
pub(super) fn parse(line: &[u8]) -> Option<LedgerRow<'_>> {
    serde_json::from_slice(line).ok().filter(|row: &LedgerRow<'_>| row.format == FORMAT)
}
