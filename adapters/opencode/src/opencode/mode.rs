//! Selects the command that a run uses.

use od_protocol::adapter::StartRunParams;
use od_sdk::Install;
use od_sdk::start_run::AdapterOptions;
use serde::Deserialize;

use crate::opencode::options::Options;

/// A command of OpenCode that runs a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// `opencode run --format json`: a line per finished part, complete token counts, errors with
    /// their status. No approvals, no live text.
    Json,
    /// `opencode acp`: live text, approvals, input. It reports only the tokens of the last step.
    Acp,
}

impl Mode {
    /// The mode that the run requests; otherwise ACP if approvals are possible or MCP servers are
    /// given, and lines if not.
    pub fn of(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(start_run_params);
        let may_ask = install.host_answers_approvals
            && start_run_params.permission_mode.as_deref() != Some("auto");
        match options.mode {
            Some(mode) => mode,
            None if may_ask || !start_run_params.mcp_servers.is_empty() => Self::Acp,
            None => Self::Json,
        }
    }
}
