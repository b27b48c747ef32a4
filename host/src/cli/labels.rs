//! Protocol values as labels for people. Pure functions.

use anstyle::Style;
use od_host::journal::RunStatus;
use od_protocol::{
    ApprovalCategory, ApprovalOutcome, ApprovalRequested, ApprovalResolved, ApprovalResolver,
    ApprovalRisk, Credential, CredentialKind,
};

use crate::cli::terminal::{FAILURE, SUCCESS, single_line};

/// The credential that pays: `API key ANTHROPIC_API_KEY`.
pub(crate) fn credential(credential: &Credential) -> String {
    let name = single_line(&credential.name);
    match credential.kind {
        CredentialKind::Subscription => format!("subscription {name}"),
        CredentialKind::ApiKey => format!("API key {name}"),
        CredentialKind::Token => format!("token {name}"),
        CredentialKind::Cloud => format!("cloud account {name}"),
        CredentialKind::Helper => format!("key helper {name}"),
        CredentialKind::None => "no charge".to_owned(),
        _ => name,
    }
}

/// The request: `the agent asks to run a command (high risk)`.
pub(crate) fn approval(approval: &ApprovalRequested) -> String {
    let what = match approval.category {
        ApprovalCategory::Execute => "to run a command",
        ApprovalCategory::Edit => "to change a file",
        ApprovalCategory::Read => "to read a file",
        ApprovalCategory::Network => "to access the network",
        ApprovalCategory::Mcp => "to call a tool of an MCP server",
        _ => "to continue",
    };
    let risk = match approval.risk {
        ApprovalRisk::Low => "low",
        ApprovalRisk::Med => "medium",
        _ => "high",
    };
    format!("the agent asks {what} ({risk} risk)")
}

/// The decision and who made it.
pub(crate) fn resolution(approval: &ApprovalResolved) -> (Style, String) {
    if approval.by == ApprovalResolver::Cancel {
        return (FAILURE, "withdrawn: run cancelled".to_owned());
    }
    let outcome = match approval.outcome {
        ApprovalOutcome::AllowOnce => "allowed",
        ApprovalOutcome::AllowAlways => "allowed for the rest of the run",
        ApprovalOutcome::RejectAlways => "denied for the rest of the run",
        _ => "denied",
    };
    let by = match approval.by {
        ApprovalResolver::User => "",
        ApprovalResolver::Timeout => ": no answer in time",
        _ => " by a rule",
    };
    let style = if approval.outcome.is_allowed() { SUCCESS } else { FAILURE };
    (style, format!("{outcome}{by}"))
}

pub(crate) const fn run_status(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Queued => "queued",
        RunStatus::Running => "running",
        RunStatus::Completed => "completed",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "cancelled",
        RunStatus::TimedOut => "timed out",
    }
}
