//! Where agents that speak ACP differ from each other. Every question has an answer that fits the
//! protocol's text; an adapter overrides what its agent does otherwise.

use std::borrow::Cow;
use std::time::Duration;

use od_protocol::{ErrorEvent, ErrorKind, FileChange, ToolKind};
use serde_json::Value;

use super::failure;
use super::files;
use super::meter::{Tokens, tokens_of};
use super::tools::Call;
use super::words::{PromptResult, ToolCall};
use crate::json_rpc::RpcError;
use crate::{Exit, RunOutput};

/// What was going on when the agent answered with an error.
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

/// What one agent does differently.
pub trait Dialect: Send {
    /// What an error of the agent means.
    fn failure(&self, error: &RpcError, stage: Stage) -> ErrorEvent {
        failure::classify(error, stage)
    }

    /// The tool's own name, as the agent calls it. ACP has none: agents put it into `_meta`, into
    /// the call's id or into its first title.
    fn tool_name(&self, tool_call: &ToolCall) -> String {
        let meta = &tool_call.meta;
        let name = ["toolName", "tool_name"].iter().find_map(|key| meta.get(key)?.as_str());
        match (name, &tool_call.kind) {
            (Some(name), _) => name.to_owned(),
            (None, Some(kind)) => kind.clone(),
            (None, None) => ToolKind::Other.as_str().to_owned(),
        }
    }

    /// The call's input where the agent states none; by default what it says for people.
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

    /// Whether what a call holds while it runs is its output so far; some agents put an explanation
    /// there.
    fn tells_output(&self) -> bool {
        true
    }

    /// A piece of a thought as it is to be shown; `is_first` when the thought begins with it.
    fn thought<'a>(&self, text: &'a str, _is_first: bool) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }

    /// The files a call that worked has changed.
    fn file_changes(&self, call: &Call, cwd: &str) -> Vec<FileChange> {
        files::changes(call, cwd)
    }

    /// The tokens of a turn.
    fn usage(&self, prompt_result: &PromptResult) -> Option<Tokens> {
        prompt_result.usage.map(tokens_of)
    }

    /// The model the tokens of a turn were spent on, where the agent says so; otherwise it is the
    /// session's.
    fn usage_model(&self, _prompt_result: &PromptResult) -> Option<String> {
        None
    }

    /// The turn ended well by its stop reason; `Some` when what was said last shows that it did not:
    /// some agents say errors as text. The text is then taken back.
    fn complaint(&self, _prompt_result: &PromptResult, _last_text: &str) -> Option<ErrorEvent> {
        None
    }

    /// A method of the agent's own; `false` means not understood.
    fn on_notification(&mut self, _method: &str, _params: &Value, _output: &mut RunOutput) -> bool {
        false
    }

    /// A line on stderr, for what an agent says nowhere else.
    fn on_stderr_line(&mut self, _line: &[u8], _output: &mut RunOutput) {}

    /// A piece of text that is the agent's own note that it asks the model again: it is no part of
    /// the answer, and what was said of the answer before is taken back.
    fn takes_back(&self, _text: &str) -> bool {
        false
    }

    /// Asked after each line on stderr: it said that the model's answer broke off, so what was said
    /// of it is taken back.
    fn broke_off(&mut self) -> bool {
        false
    }

    /// The model answers: text, a thought, a call.
    fn on_answer(&mut self, _output: &mut RunOutput) {}

    /// The agent was silent for as long as the dialect has allowed it.
    fn on_silence(&mut self, _output: &mut RunOutput) {}

    /// Whether a call that is only announced has its whole input, where it has any.
    fn announces_input(&self) -> bool {
        true
    }

    /// The update after which a loaded session has told its history, for an agent that answers
    /// `session/load` before it has.
    fn history_end(&self) -> Option<&'static str> {
        None
    }

    /// How long the agent pauses at least before it asks the model again in silence and says the
    /// whole answer once more; `None` for one that does not.
    fn silent_retry(&self) -> Option<Duration> {
        None
    }

    /// The agent ended without an answer to the prompt: what its exit says, if anything.
    fn exit_failure(&self, _exit: &Exit) -> Option<ErrorEvent> {
        None
    }

    /// What a capability that the agent lacks is called in the error, and what to do about it.
    fn unsupported(&self, what: &str) -> ErrorEvent {
        ErrorEvent::fatal(
            ErrorKind::CapabilityUnsupported,
            format!("this version of the agent cannot {what} a session over ACP"),
        )
        .with_hint("start a new session, or upgrade the agent CLI")
    }
}
