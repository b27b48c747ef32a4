//! Where OpenCode differs from plain ACP.

use std::time::Duration;

use crate::native::ToolState;
use od_protocol::adapter::StartRunParams;
use od_protocol::{Credential, ErrorEvent, ErrorKind, FileChange};
use od_sdk::acp::{Call, Dialect, Stage, ToolCall};
use od_sdk::json_rpc::RpcError;
use od_sdk::{Install, RunOutput};

use crate::opencode::retries::Retries;

/// Shorter than the wait before OpenCode retries, longer than a pause of the model in an answer.
const SILENT_RETRY: Duration = Duration::from_millis(1_500);
/// OpenCode puts this before the provider's text.
const INTERNAL_ERROR: &str = "Internal error: ";

/// OpenCode over ACP.
#[derive(Debug)]
pub struct OpenCodeDialect {
    credential: Option<Credential>,
    retries: Retries,
    is_interrupted: bool,
}

impl OpenCodeDialect {
    /// The state before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let retries = Retries::new(start_run_params, install);
        Self { credential: install.credential.clone(), retries, is_interrupted: false }
    }
}

impl Dialect for OpenCodeDialect {
    /// OpenCode reports provider errors as internal errors; only their text distinguishes them.
    fn failure(&self, error: &RpcError, stage: Stage) -> ErrorEvent {
        if stage == Stage::Set {
            return unsupported(error);
        }
        let text = error.message.strip_prefix(INTERNAL_ERROR).unwrap_or(&error.message);
        let classified = crate::failure::classify_text(text, self.credential.as_ref());
        match classified.hint {
            Some(_) => classified,
            None => od_sdk::acp::classify(error, stage),
        }
    }

    /// A call is announced with the tool's name as its title; later the title is the subject.
    fn tool_name(&self, tool_call: &ToolCall) -> String {
        tool_call.title.clone().or_else(|| tool_call.kind.clone()).unwrap_or_default()
    }

    /// The announcement of a command has only its folder (recording `acp_cancel_tool`).
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
        let changes = crate::file_changes(&call.name, &state).into_iter();
        changes.map(|change| FileChange { tool_call_id: tool_call_id(), ..change }).collect()
    }

    fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        self.is_interrupted |= self.retries.on_stderr_line(line, output);
    }

    /// After an interrupted stream the same message comes again under the same id.
    fn stream_interrupted(&mut self) -> bool {
        std::mem::take(&mut self.is_interrupted)
    }

    /// The log does not report an answer that is interrupted in the middle. OpenCode retries after
    /// two seconds at the earliest.
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

/// OpenCode's agents always exist, so a setting that fails is an effort that the model lacks.
fn unsupported(error: &RpcError) -> ErrorEvent {
    let message = format!("the model does not support this effort: {}", error.message);
    ErrorEvent::fatal(ErrorKind::CapabilityUnsupported, message)
        .with_hint("omit the effort, or choose another: `opencode models --verbose` lists them")
}
