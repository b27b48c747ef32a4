//! Approvals: an event up, a request down.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JsonObject;
use crate::wire_enum::wire_enum;

wire_enum! {
    /// What a person (or policy) decided. An unknown word is a denial.
    pub enum ApprovalOutcome, unknown => RejectOnce {
        /// Allow this one call.
        AllowOnce = "allow_once",
        /// Allow this and every like call of the run.
        AllowAlways = "allow_always",
        /// Deny this one call; the agent goes on.
        RejectOnce = "reject_once",
        /// Deny this and every like call of the run.
        RejectAlways = "reject_always",
    }
}

impl ApprovalOutcome {
    /// Whether the call may go ahead.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowAlways)
    }
}

wire_enum! {
    /// What kind of thing the agent asks to do.
    pub enum ApprovalCategory, unknown => Other {
        /// Run a command.
        Execute = "execute",
        /// Create, change or delete a file.
        Edit = "edit",
        /// Read a file outside the allowed folders.
        Read = "read",
        /// Reach the network.
        Network = "network",
        /// Call a tool of an MCP server.
        Mcp = "mcp",
        /// Anything else.
        Other = "other",
    }
}

wire_enum! {
    /// How much harm a wrong answer can do. An unknown word is high.
    pub enum ApprovalRisk, unknown => High {
        /// Reads or harmless.
        Low = "low",
        /// Changes files below the working folder.
        Med = "med",
        /// Runs commands, reaches the network or leaves the working folder.
        High = "high",
    }
}

wire_enum! {
    /// Who resolved an approval. An unknown word is read as a policy.
    pub enum ApprovalResolver, unknown => Policy {
        /// A person answered.
        User = "user",
        /// A rule answered.
        Policy = "policy",
        /// Nobody answered before the deadline, so it was denied.
        Timeout = "timeout",
        /// The run was cancelled, or the agent CLI took its question back.
        Cancel = "cancel",
    }
}

/// One answer the agent CLI offers. Only offered answers may be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOption {
    /// The agent CLI's own name for it.
    pub id: String,
    /// What it means.
    pub kind: ApprovalOutcome,
    /// A label for a button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Parameters of `run/respond`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RespondRunParams {
    /// The run that asked.
    pub run_id: String,
    /// The approval, as in `approval_requested`.
    pub approval_id: String,
    /// The decision.
    pub outcome: ApprovalOutcome,
    /// The tool's input as the person edited it; absent means unchanged. Needs the capability
    /// `approvals.editInput`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<JsonObject>,
    /// What to tell the agent about a denial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who decided; absent means a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ApprovalResolver>,
}

/// Result of `run/respond`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RespondRunResult {}
