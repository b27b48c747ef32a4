//! The events of a tool call, and what the name of its tool tells whatever the agent CLI is.

use od_protocol::{ApprovalCategory, ApprovalRisk, Event, ToolCallReady, ToolCallStarted, ToolKind, ToolResult, ToolStatus};
use serde_json::Value;

use super::Block;
use crate::approval;

/// The model begins to ask for a tool.
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

/// All of the input is known.
pub fn call_ready(block: &Block, title: Option<String>) -> Event {
    Event::ToolCallReady(ToolCallReady {
        tool_call_id: block.id.clone(),
        input: block.input.clone(),
        title,
        truncated: None,
    })
}

/// What became of a call.
pub fn call_result(id: &str, status: ToolStatus, output: Value, exit_code: Option<i32>) -> Event {
    Event::ToolResult(ToolResult {
        tool_call_id: id.to_owned(),
        status,
        output,
        exit_code,
        truncated: None,
    })
}

/// Tools of an MCP server are called `mcp__server__tool`.
pub fn mcp_server(name: &str) -> Option<String> {
    let (server, _) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(server.to_owned())
}

/// The category and the risk of a call that somebody has to approve: nobody knows what the tool of
/// an MCP server does.
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
