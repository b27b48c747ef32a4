//! The vocabulary of approvals: outcomes, categories, risks.

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// The decision on an approval. An unknown value means a denial.
    pub enum ApprovalOutcome, unknown => RejectOnce {
        /// Allow this one call.
        AllowOnce = "allow_once",
        /// Allow this call and every similar call of the run.
        AllowAlways = "allow_always",
        /// Deny this one call; the agent continues.
        RejectOnce = "reject_once",
        /// Deny this call and every similar call of the run.
        RejectAlways = "reject_always",
    }
}

impl ApprovalOutcome {
    /// Whether the call is allowed.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowAlways)
    }
}

wire_enum! {
    /// What the agent requests approval for.
    pub enum ApprovalCategory, unknown => Other {
        /// Run a command.
        Execute = "execute",
        /// Create, change or delete a file.
        Edit = "edit",
        /// Read a file outside the allowed folders.
        Read = "read",
        /// Access the network.
        Network = "network",
        /// Call a tool of an MCP server.
        Mcp = "mcp",
        /// Anything else.
        Other = "other",
    }
}

wire_enum! {
    /// How much harm a wrong decision can do. An unknown value means high.
    pub enum ApprovalRisk, unknown => High {
        /// Only reads, or is harmless.
        Low = "low",
        /// Changes files below the working folder.
        Med = "med",
        /// Runs commands, accesses the network or leaves the working folder.
        High = "high",
    }
}

wire_enum! {
    /// Who resolved an approval. An unknown value means a policy.
    pub enum ApprovalResolver, unknown => Policy {
        /// The user decided: `run/respond` without another `by`.
        User = "user",
        /// A rule decided, also that no client answers approvals.
        Policy = "policy",
        /// No decision before the deadline or a time limit of the run: denied.
        Timeout = "timeout",
        /// The run was cancelled or has ended, or the agent CLI withdrew its request: denied.
        Cancel = "cancel",
    }
}

/// One decision that the agent CLI offers. Only offered decisions may be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOption {
    /// The agent CLI's own name.
    pub id: String,
    /// What it means.
    pub kind: ApprovalOutcome,
    /// The label of a button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
