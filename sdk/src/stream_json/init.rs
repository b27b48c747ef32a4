//! `system/init`: the session and its tools.

use od_protocol::{Event, McpServerStatus, SessionMode, SessionStarted};
use serde::Deserialize;

/// `system/init`: repeated at the start of every turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Init {
    /// The session.
    pub session_id: String,
    /// Its working folder.
    pub cwd: Option<String>,
    /// Names of the tools.
    pub tools: Vec<String>,
    /// MCP servers and their state.
    pub mcp_servers: Vec<McpServerState>,
    /// The model.
    pub model: Option<String>,
}

/// An MCP server and its state.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct McpServerState {
    /// Its name.
    pub name: String,
    /// `connected`, `disconnected`, `failed`, ….
    pub status: String,
}

impl Init {
    /// The event for the started session; `parent` is the session it was forked from.
    pub fn session_started(self, mode: SessionMode, parent: Option<String>) -> Event {
        let states = self.mcp_servers.into_iter();
        let servers =
            states.map(|server| McpServerStatus { name: server.name, status: server.status });
        Event::SessionStarted(SessionStarted {
            session_id: self.session_id,
            mode,
            parent_session_id: parent,
            model: self.model,
            cwd: self.cwd,
            tools: Some(self.tools),
            mcp_servers: Some(servers.collect()),
        })
    }
}
