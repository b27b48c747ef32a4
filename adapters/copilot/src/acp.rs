//! A run over ACP: its parameters and Copilot's deviations. The sdk implements the protocol.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorEvent, ErrorObject, ToolKind};
use od_sdk::acp::{self, AcpMapper, Call, Dialect, Handshake, PromptResult, Stage, ToolCall};
use od_sdk::json_rpc::RpcError;
use od_sdk::{Exit, Mapper};
use serde_json::Value;

use crate::failure;

/// Prefix of an error that the CLI prints as message text (recordings `acp_r401`,
/// `acp_r429long`).
const ERROR_PREFIX: &str = "Error: ";

/// Start and end of the message text by which the CLI reports a retry.
const RETRY_TEXT: (&str, &str) = ("Info: ", "Retrying...");

/// The session parameters. Model, effort and permission mode are flags.
///
/// # Errors
/// When an image has no content.
pub fn opening(start_run_params: &StartRunParams) -> Result<Handshake, ErrorObject> {
    Ok(Handshake { settings: Vec::new(), ..Handshake::of(start_run_params)? })
}

/// Returns the mapper of a run.
///
/// # Panics
/// On a prompt that the invocation refuses.
pub fn mapper(start_run_params: &StartRunParams) -> Box<dyn Mapper> {
    let opening = opening(start_run_params).expect("the invocation rejects invalid images");
    Box::new(AcpMapper::new(opening, Box::new(CopilotDialect)))
}

/// Copilot's deviations from the protocol.
struct CopilotDialect;

impl Dialect for CopilotDialect {
    fn failure(&self, error: &RpcError, stage: Stage) -> ErrorEvent {
        let error_event = failure::classify(&error.message, failure::status_in(&error.message));
        match error_event.hint {
            Some(_) => error_event,
            None => acp::classify(error, stage),
        }
    }

    /// The title of a patch is its tool's name; for other tools only the kind is known.
    fn tool_name(&self, tool_call: &ToolCall) -> String {
        match (tool_call.title.as_deref(), tool_call.kind.as_deref()) {
            (Some("apply_patch"), _) => "apply_patch".to_owned(),
            (_, Some("execute")) => "bash".to_owned(),
            (_, Some(kind)) => kind.to_owned(),
            (_, None) => ToolKind::Other.as_str().to_owned(),
        }
    }

    /// Each attempt repeats the whole answer; this text between them is the only sign of a retry
    /// (recording `acp_r401`).
    fn discards_text(&self, text: &str) -> bool {
        text.starts_with(RETRY_TEXT.0) && text.ends_with(RETRY_TEXT.1)
    }

    /// Errors are message text, and the turn ends without an error (recording `acp_r401`).
    fn failure_in_text(&self, prompt_result: &PromptResult, last_text: &str) -> Option<ErrorEvent> {
        if prompt_result.usage.is_some() {
            return None;
        }
        let at = last_text.rfind(ERROR_PREFIX)?;
        let text = last_text[at..].trim_start_matches(ERROR_PREFIX);
        Some(failure::classify(text, failure::status_in(text)))
    }

    fn exit_failure(&self, exit: &Exit) -> Option<ErrorEvent> {
        failure::of_exit(exit)
    }

    fn tool_input(&self, call: &Call) -> Value {
        let title = call.title.clone().map(Value::String);
        let input = title.map(|title| [("title".to_owned(), title)]);
        Value::Object(input.into_iter().flatten().collect())
    }
}
