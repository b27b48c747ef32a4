//! Helpers for approvals: the risk and the summary of a tool call, and options without a label.

use od_protocol::{ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalRisk, ToolKind};

/// Returns the category and the risk of a call of a tool of this kind.
///
/// ```
/// use od_protocol::{ApprovalCategory, ApprovalRisk, ToolKind};
///
/// let (category, risk) = od_sdk::approval::assess_risk(ToolKind::Execute);
/// assert_eq!((category, risk), (ApprovalCategory::Execute, ApprovalRisk::High));
/// ```
pub fn assess_risk(kind: ToolKind) -> (ApprovalCategory, ApprovalRisk) {
    match kind {
        ToolKind::Execute => (ApprovalCategory::Execute, ApprovalRisk::High),
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            (ApprovalCategory::Edit, ApprovalRisk::Med)
        }
        ToolKind::Read | ToolKind::Search => (ApprovalCategory::Read, ApprovalRisk::Low),
        ToolKind::Fetch => (ApprovalCategory::Network, ApprovalRisk::High),
        _ => (ApprovalCategory::Other, ApprovalRisk::Med),
    }
}

/// As [`assess_risk`], for agent CLIs that name MCP tools `mcp__server__tool`. The effect of an MCP
/// tool is unknown, so its risk is high.
pub fn assess_named_risk(name: &str, kind: ToolKind) -> (ApprovalCategory, ApprovalRisk) {
    match mcp_server(name) {
        Some(_) => (ApprovalCategory::Mcp, ApprovalRisk::High),
        None => assess_risk(kind),
    }
}

/// Returns the MCP server of a tool that is named `mcp__server__tool`.
pub fn mcp_server(name: &str) -> Option<String> {
    let (server, _) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(server.to_owned())
}

/// Describes a call in one line: the command, the title of the call, or its tool.
pub fn summary(category: ApprovalCategory, title: Option<&str>, tool: &str) -> String {
    match (category, title) {
        (ApprovalCategory::Execute, Some(command)) => format!("run {command}"),
        (_, Some(title)) => title.to_owned(),
        (_, None) => format!("use {tool}"),
    }
}

/// Builds an option of an approval request.
pub fn option(id: &str, kind: ApprovalOutcome) -> ApprovalOption {
    ApprovalOption { id: id.to_owned(), kind, label: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcp_tool_has_high_risk() {
        assert_eq!(mcp_server("mcp__files__read").as_deref(), Some("files"));
        assert_eq!(mcp_server("mcp__files"), None);
        let risk = assess_named_risk("mcp__files__read", ToolKind::Read);
        assert_eq!(risk, (ApprovalCategory::Mcp, ApprovalRisk::High));
        assert_eq!(assess_named_risk("Read", ToolKind::Read).0, ApprovalCategory::Read);
    }
}
