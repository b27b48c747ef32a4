//! The run over ACP: what it asks for, and what this agent does differently. The talk itself is the
//! sdk's.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorEvent, ErrorObject, ToolKind};
use od_sdk::acp::{self, AcpMapper, Call, Dialect, Opening, PromptResult, Stage, ToolCall};
use od_sdk::json_rpc::RpcError;
use od_sdk::{Exit, Mapper};
use serde_json::Value;

use crate::failure;

/// How the CLI begins what it says in the model's place (recordings `acp_r401`, `acp_r429long`).
const COMPLAINT: &str = "Error: ";

/// How it says, as text too, that it asks the model again.
const RETRY: (&str, &str) = ("Info: ", "Retrying...");

/// What the run asks of the agent. Model, effort and permission mode are flags.
///
/// # Errors
/// A picture without content.
pub fn opening(start_run_params: &StartRunParams) -> Result<Opening, ErrorObject> {
    Ok(Opening { settings: Vec::new(), ..Opening::of(start_run_params)? })
}

/// The state machine of a run.
///
/// # Panics
/// On a prompt that the invocation refuses.
pub fn mapper(start_run_params: &StartRunParams) -> Box<dyn Mapper> {
    let opening = opening(start_run_params).expect("the invocation refuses what cannot be said");
    Box::new(AcpMapper::new(opening, Box::new(Agent)))
}

/// Copilot's way to speak ACP.
struct Agent;

impl Dialect for Agent {
    fn failure(&self, error: &RpcError, stage: Stage) -> ErrorEvent {
        let judged = failure::classify(&error.message, failure::status_in(&error.message));
        match judged.hint {
            Some(_) => judged,
            None => acp::classify(error, stage),
        }
    }

    /// A patch has its tool's name as title; for the rest only the kind is told.
    fn tool_name(&self, tool_call: &ToolCall) -> String {
        match (tool_call.title.as_deref(), tool_call.kind.as_deref()) {
            (Some("apply_patch"), _) => "apply_patch".to_owned(),
            (_, Some("execute")) => "bash".to_owned(),
            (_, Some(kind)) => kind.to_owned(),
            (_, None) => ToolKind::Other.as_str().to_owned(),
        }
    }

    /// Each attempt says the whole answer again; the note between them is the only sign (recording
    /// `acp_r401`).
    fn takes_back(&self, text: &str) -> bool {
        text.starts_with(RETRY.0) && text.ends_with(RETRY.1)
    }

    /// Errors are said as text, and the turn ends well (recording `acp_r401`).
    fn complaint(&self, prompt_result: &PromptResult, last_text: &str) -> Option<ErrorEvent> {
        if prompt_result.usage.is_some() {
            return None;
        }
        let at = last_text.rfind(COMPLAINT)?;
        let text = last_text[at..].trim_start_matches(COMPLAINT);
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
