//! Which of OpenCode's two ways a run takes.

use od_protocol::StartRunParams;
use od_sdk::Install;
use od_sdk::start_run::AdapterOptions;
use serde::Deserialize;

use crate::options::Options;

/// A way to drive OpenCode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// `opencode run --format json`: a line per finished part, all token counts, errors with their
    /// status. Nobody can be asked, and nothing arrives in pieces.
    Json,
    /// `opencode acp`: text in pieces, approvals, input. It counts only the last step's tokens.
    Acp,
}

impl Mode {
    /// The run's own wish, else: ACP where something may be asked or an MCP server is to be added,
    /// lines where nothing can be asked anyway.
    pub fn of(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(start_run_params);
        let asks = install.host_answers_approvals
            && start_run_params.permission_mode.as_deref() != Some("auto");
        match options.mode {
            Some(mode) => mode,
            None if asks || !start_run_params.mcp_servers.is_empty() => Self::Acp,
            None => Self::Json,
        }
    }
}
