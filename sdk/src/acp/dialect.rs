//! Where ACP agents differ. Each method has a default that follows the specification; an adapter
//! overrides what its agent does differently.

use std::borrow::Cow;
use std::time::Duration;

use od_protocol::{ErrorEvent, ErrorKind, FileChange, ToolKind};
use serde_json::Value;

use super::failure;
use super::files;
use super::native::{PromptResult, ToolCall};
use super::tools::Call;
use super::usage::tokens_of;
use crate::json_rpc::RpcError;
use crate::usage::Tokens;
use crate::{Exit, RunOutput};

/// The request that the agent answered with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// `initialize`.
    Initialize,
    /// `authenticate`.
    Authenticate,
    /// `session/new`, `session/load`, `session/resume`, `session/fork`.
    Open,
    /// `session/set_model`, or the option that is the model.
    SetModel,
    /// Another setting.
    Set,
    /// `session/prompt`.
    Prompt,
}

/// The differences of one agent.
pub trait Dialect: Send {
    /// Classifies an error of the agent.
    fn failure(&self, error: &RpcError, stage: Stage) -> ErrorEvent {
        failure::classify(error, stage)
    }

    /// The name of the tool. ACP has no field for it: agents use `_meta`, the id of the call or its
    /// first title.
    fn tool_name(&self, tool_call: &ToolCall) -> String {
        let meta = &tool_call.meta;
        let name = ["toolName", "tool_name"].iter().find_map(|key| meta.get(key)?.as_str());
        match (name, &tool_call.kind) {
            (Some(name), _) => name.to_owned(),
            (None, Some(kind)) => kind.clone(),
            (None, None) => ToolKind::Other.as_str().to_owned(),
        }
    }

    /// The input of a call for which the agent reports none; by default its title.
    fn tool_input(&self, call: &Call) -> Value {
        let mut input = od_protocol::JsonObject::new();
        if let Some(title) = &call.title {
            input.insert("title".to_owned(), title.clone().into());
        }
        if !call.locations.is_empty() {
            input.insert("locations".to_owned(), call.locations.clone().into());
        }
        Value::Object(input)
    }

    /// Whether the content of a running call is its output so far; some agents put an explanation
    /// there.
    fn reports_output(&self) -> bool {
        true
    }

    /// Cleans up a piece of thinking; `is_first` marks the first piece.
    fn thought<'a>(&self, text: &'a str, _is_first: bool) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }

    /// The files that a successful call changed.
    fn file_changes(&self, call: &Call, cwd: &str) -> Vec<FileChange> {
        files::changes(call, cwd)
    }

    /// The tokens of a turn.
    fn usage(&self, prompt_result: &PromptResult) -> Option<Tokens> {
        prompt_result.usage.map(tokens_of)
    }

    /// The model of a turn's tokens, if the agent reports it; otherwise the model of the session.
    fn usage_model(&self, _prompt_result: &PromptResult) -> Option<String> {
        None
    }

    /// Checks the last text of a turn that ended normally: some agents report errors as text. The text
    /// is then discarded.
    fn failure_in_text(
        &self,
        _prompt_result: &PromptResult,
        _last_text: &str,
    ) -> Option<ErrorEvent> {
        None
    }

    /// Handles a notification of the agent's own; returns `false` for an unknown one.
    fn on_notification(&mut self, _method: &str, _params: &Value, _output: &mut RunOutput) -> bool {
        false
    }

    /// Handles a line of stderr, for what the agent reports only there.
    fn on_stderr_line(&mut self, _line: &[u8], _output: &mut RunOutput) {}

    /// Whether a text is the agent's note that it retries: the note is not part of the answer, and the
    /// answer so far is discarded.
    fn discards_text(&self, _text: &str) -> bool {
        false
    }

    /// Called after each line of stderr: returns `true` if the line reported an interrupted answer,
    /// which is then discarded.
    fn stream_interrupted(&mut self) -> bool {
        false
    }

    /// The model answers with text, thinking or a call.
    fn on_answer(&mut self, _output: &mut RunOutput) {}

    /// The limit on silence that the dialect set has passed.
    fn on_silence(&mut self, _output: &mut RunOutput) {}

    /// Whether the announcement of a call has its whole input.
    fn announces_input(&self) -> bool {
        true
    }

    /// The update that ends the history of a loaded session, for an agent that answers `session/load`
    /// before it has sent the history.
    fn history_end(&self) -> Option<&'static str> {
        None
    }

    /// The minimum pause before the agent retries without a report and sends the whole answer again;
    /// `None` if it does not do that.
    fn silent_retry(&self) -> Option<Duration> {
        None
    }

    /// Classifies the exit of an agent that did not answer the prompt.
    fn exit_failure(&self, _exit: &Exit) -> Option<ErrorEvent> {
        None
    }

    /// The error for a capability that the agent lacks.
    fn unsupported(&self, what: &str) -> ErrorEvent {
        ErrorEvent::fatal(
            ErrorKind::CapabilityUnsupported,
            format!("this version of the agent cannot {what} a session over ACP"),
        )
        .with_hint("start a new session, or upgrade the agent CLI")
    }
}
