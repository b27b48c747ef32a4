//! The events of a tool call, and what its name implies for every agent CLI.

use od_protocol::{
    ApprovalCategory, ApprovalRisk, Event, ToolCallReady, ToolCallStarted, ToolKind, ToolResult,
    ToolStatus,
};
use serde_json::Value;

use super::Block;
use crate::approval;

/// The model starts a call.
pub fn call_started(block: &Block, kind: ToolKind) -> Event {
    Event::ToolCallStarted(ToolCallStarted {
        tool_call_id: block.id.clone(),
        name: block.name.clone(),
        kind,
        title: None,
        mcp_server: mcp_server(&block.name),
        parent_tool_call_id: None,
    })
}

/// The whole input is known.
pub fn call_ready(block: &Block, title: Option<String>) -> Event {
    Event::ToolCallReady(ToolCallReady {
        tool_call_id: block.id.clone(),
        input: block.input.clone(),
        title,
        truncated: None,
    })
}

/// The result of a call.
pub fn call_result(id: &str, status: ToolStatus, output: Value, exit_code: Option<i32>) -> Event {
    Event::ToolResult(ToolResult {
        tool_call_id: id.to_owned(),
        status,
        output,
        exit_code,
        truncated: None,
    })
}

/// The MCP server of a tool that is named `mcp__server__tool`.
pub fn mcp_server(name: &str) -> Option<String> {
    let (server, _) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(server.to_owned())
}

/// The category and risk of a call that needs approval; the effect of an MCP tool is unknown.
pub fn judge(name: &str, kind: ToolKind) -> (ApprovalCategory, ApprovalRisk) {
    match mcp_server(name) {
        Some(_) => (ApprovalCategory::Mcp, ApprovalRisk::High),
        None => approval::assess_risk(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_servers_are_judged_by_their_name() {
        assert_eq!(mcp_server("mcp__files__read").as_deref(), Some("files"));
        assert_eq!(mcp_server("mcp__files"), None);
        let (category, risk) = judge("mcp__files__read", ToolKind::Read);
        assert_eq!((category, risk), (ApprovalCategory::Mcp, ApprovalRisk::High));
        assert_eq!(judge("Read", ToolKind::Read).0, ApprovalCategory::Read);
    }
}
