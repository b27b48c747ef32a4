//! What is OpenCode's own in ACP.

use std::time::Duration;

use od_protocol::{Credential, ErrorEvent, ErrorKind, FileChange, StartRunParams};
use od_sdk::acp::{Call, Dialect, Stage, ToolCall};
use od_sdk::json_rpc::RpcError;
use od_sdk::parts::native::ToolState;
use od_sdk::{Install, RunOutput, parts};

use crate::retries::Retries;

/// Less than it waits before it asks again, more than a model pauses between two words.
const SILENT_RETRY: Duration = Duration::from_millis(1_500);
/// Put before the model's own words.
const INTERNAL: &str = "Internal error: ";

/// OpenCode over ACP.
#[derive(Debug)]
pub struct OpenCodeDialect {
    credential: Option<Credential>,
    retries: Retries,
    is_broken: bool,
}

impl OpenCodeDialect {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let retries = Retries::new(start_run_params, install);
        Self { credential: install.credential.clone(), retries, is_broken: false }
    }
}

impl Dialect for OpenCodeDialect {
    /// Errors of the model are internal errors here; only their text tells them apart.
    fn failure(&self, error: &RpcError, stage: Stage) -> ErrorEvent {
        if stage == Stage::Set {
            return unsupported(error);
        }
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

    /// The announcement of a command has its folder and nothing else (recording `acp_cancel_tool`).
    fn announces_input(&self) -> bool {
        false
    }

    fn file_changes(&self, call: &Call, _cwd: &str) -> Vec<FileChange> {
        let metadata = call.raw_output.as_ref().and_then(|output| output.get("metadata"));
        let state = ToolState {
            input: call.input.clone().unwrap_or_default(),
            metadata: metadata.cloned().unwrap_or_default(),
            ..ToolState::default()
        };
        let tool_call_id = || Some(call.id.clone());
        let changes = parts::file_changes(&call.name, &state).into_iter();
        changes.map(|change| FileChange { tool_call_id: tool_call_id(), ..change }).collect()
    }

    fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        self.is_broken |= self.retries.on_stderr_line(line, output);
    }

    /// The same message is said once more, under the same id.
    fn broke_off(&mut self) -> bool {
        std::mem::take(&mut self.is_broken)
    }

    /// An answer that breaks off in the middle is not in the log. It is asked for again two seconds
    /// later at the earliest.
    fn silent_retry(&self) -> Option<Duration> {
        Some(SILENT_RETRY)
    }

    fn on_answer(&mut self, output: &mut RunOutput) {
        self.retries.on_answer(output);
    }

    fn on_silence(&mut self, output: &mut RunOutput) {
        self.retries.on_silence(output);
    }
}

/// The agents are always there, so what cannot be set is an effort this model does not have.
fn unsupported(error: &RpcError) -> ErrorEvent {
    let message = format!("the model does not take this effort: {}", error.message);
    ErrorEvent::fatal(ErrorKind::CapabilityUnsupported, message).with_hint(
        "leave the effort out, or choose another: `opencode models --verbose` names them",
    )
}
