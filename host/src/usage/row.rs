//! One line of the ledger: what one attempt of a run used of one model.

use std::borrow::Cow;

use od_protocol::{Credential, DoneStatus, UsageSource};
use serde::{Deserialize, Serialize};

use super::spent::Spent;

/// The version of the format. It changes only when an old reader would add up something wrong; a further
/// member does not change it.
pub(super) const FORMAT: u32 = 1;

/// See the module. Texts are borrowed where they can be: a ledger has many lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LedgerRow<'a> {
    /// The version of the format; first in the line, so that damage is easily told from rows.
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
    /// Who runs the model; empty means not known.
    #[serde(borrow, default)]
    pub(super) provider: Cow<'a, str>,
    /// Names a variable, a file or a plan, never a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) credential: Option<Credential>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<String>,
    /// When the run ended, in milliseconds since 1970: that day it is counted on.
    pub(super) ended_at: u64,
    pub(super) spent: Spent,
    /// Where the figures come from; absent means that nothing was told of this attempt's use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<UsageSource>,
    pub(super) duration_ms: u64,
    pub(super) status: DoneStatus,
    /// What the session's own counter had reached, where the agent CLI has one. Only in the last row
    /// of an attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session_reached: Option<Spent>,
}

/// Reads a line; `None` when it is damaged or of a later version.
pub(super) fn read(line: &[u8]) -> Option<LedgerRow<'_>> {
    serde_json::from_slice(line).ok().filter(|row: &LedgerRow<'_>| row.format == FORMAT)
}
