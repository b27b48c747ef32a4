//! What is OpenCode's own in ACP.

use od_protocol::{Credential, ErrorEvent, StartRunParams};
use od_sdk::acp::{Dialect, Stage, ToolCall};
use od_sdk::json_rpc::RpcError;
use od_sdk::{Install, RunOutput, parts};

use crate::retries::Retries;

/// Put before the model's own words.
const INTERNAL: &str = "Internal error: ";

/// OpenCode over ACP.
#[derive(Debug)]
pub struct OpenCodeDialect {
    credential: Option<Credential>,
    retries: Retries,
}

impl OpenCodeDialect {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let retries = Retries::new(start_run_params, install);
        Self { credential: install.credential.clone(), retries }
    }
}

impl Dialect for OpenCodeDialect {
    /// Errors of the model are internal errors here; only their text tells them apart.
    fn failure(&self, error: &RpcError, stage: Stage) -> ErrorEvent {
        let text = error.message.strip_prefix(INTERNAL).unwrap_or(&error.message);
        let judged = parts::judge_text(text, self.credential.as_ref());
        match judged.hint {
            Some(_) => judged,
            None => od_sdk::acp::judge(error, stage),
        }
    }

    /// A call is announced under its tool's name; its title becomes its subject later.
    fn tool_name(&self, tool_call: &ToolCall) -> String {
        tool_call.title.clone().or_else(|| tool_call.kind.clone()).unwrap_or_default()
    }

    fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        self.retries.on_stderr_line(line, output);
    }
}
