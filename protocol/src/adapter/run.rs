//! `run/start`, `run/input`, `run/respond` and `run/cancel`.

use serde::{Deserialize, Serialize};

pub use crate::task::StartRunParams;
use crate::{ApprovalOutcome, ApprovalResolver, InputOutcome, JsonObject};

/// Result of `run/start`, sent on acceptance; everything else arrives as events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StartRunResult {
    /// The run, exactly as the host named it.
    pub run_id: String,
}

/// Parameters of `run/input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InputRunParams {
    /// The run.
    pub run_id: String,
    /// The text for the agent, passed unchanged.
    pub text: String,
    /// Accept the input only while this turn runs; refuse it otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_turn: Option<String>,
}

/// Result of `run/input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InputRunResult {
    /// What the agent does with the input.
    pub outcome: InputOutcome,
}

/// Parameters of `run/respond`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RespondRunParams {
    /// The run that requested the approval.
    pub run_id: String,
    /// The approval id of `approval_requested`.
    pub approval_id: String,
    /// The decision.
    pub outcome: ApprovalOutcome,
    /// The tool input as edited by the user; absent means unchanged. Requires the capability
    /// `approvals.editInput`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<JsonObject>,
    /// The reason of a denial, for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who decided; absent means the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ApprovalResolver>,
}

/// Result of `run/respond`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RespondRunResult {}

/// Parameters of `run/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CancelRunParams {
    /// The run.
    pub run_id: String,
    /// The grace period of the agent CLI from the receipt of `run/cancel` to SIGTERM; absent means 2000, 0 means
    /// immediately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// The reason, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Result of `run/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CancelRunResult {
    /// Whether the run exists and is being stopped. `false` for an unknown or finished run, which
    /// is not an error.
    pub accepted: bool,
}
