//! Maps the records of a session file to events. Pure.

use std::path::Path;

use od_protocol::{Event, ToolResult, ToolStatus};
use od_sdk::approval::mcp_server;
use od_sdk::event;
use od_sdk::session_files::{
    Call, SessionFile, SessionFormat, SessionLine, Transcript, last_branch,
};
use od_sdk::text::first_line;
use serde::Deserialize;
use serde_json::Value;

use crate::events::tools::{kind, title};

/// One record. Records of type `system` have no message.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Record {
    uuid: String,
    /// The previous record of the conversation.
    parent_uuid: Option<String>,
    /// `user`, `assistant`, `tool_result`, `system`.
    #[serde(rename = "type")]
    kind: String,
    /// The working folder of the session.
    cwd: Option<String>,
    /// With `assistant`: the model.
    model: Option<String>,
    message: Message,
    /// With `tool_result`: its status.
    tool_call_result: ToolCallResult,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    parts: Vec<Part>,
}

/// A part of a message: text, thought, tool call or tool result.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Part {
    text: String,
    /// The text is a thought.
    thought: bool,
    function_call: Option<FunctionCall>,
    function_response: Option<FunctionResponse>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FunctionCall {
    id: String,
    name: String,
    args: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FunctionResponse {
    id: String,
    response: Response,
}

/// The result that the model received.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Response {
    output: Option<Value>,
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolCallResult {
    /// `success`, `error`, `cancelled`.
    status: String,
}

impl Record {
    /// The user's prompt. The block that the adapter adds before it is empty or a blank.
    fn user_text(&self) -> Option<String> {
        let texts = self.message.parts.iter().map(|part| part.text.as_str());
        let text = (self.kind == "user").then(|| texts.collect::<String>())?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

impl SessionLine for Record {
    fn cwd(&self) -> Option<String> {
        self.cwd.clone()
    }

    fn model(&self) -> Option<String> {
        self.model.clone()
    }

    fn title(&self) -> Option<String> {
        self.user_text().map(|text| first_line(&text))
    }
}

impl SessionFormat for Record {
    fn files(config_dir: &Path, cwd: Option<&str>) -> Vec<SessionFile> {
        super::files(config_dir, cwd)
    }

    /// Maps the session to events, without the branches that the user undid.
    fn to_events(records: &mut dyn Iterator<Item = Self>) -> Vec<Event> {
        let records: Vec<Record> = records.collect();
        let branch =
            last_branch(&records, |record| &record.uuid, |record| record.parent_uuid.as_deref());
        let mut transcript = Transcript::default();
        for record in branch {
            match record.user_text() {
                Some(text) => transcript.user(text),
                None => record
                    .message
                    .parts
                    .iter()
                    .for_each(|part| on_part(record, part, &mut transcript)),
            }
        }
        transcript.into_events()
    }
}

fn on_part(record: &Record, part: &Part, transcript: &mut Transcript) {
    match (&part.function_call, &part.function_response) {
        (Some(call), _) => transcript.call(Call {
            id: call.id.clone(),
            name: call.name.clone(),
            kind: kind(&call.name),
            title: title(&call.name, &call.args),
            mcp_server: mcp_server(&call.name),
            input: call.args.clone(),
        }),
        (None, Some(response)) => transcript.result(result(record, response)),
        (None, None) if part.thought => transcript.thought(&part.text),
        (None, None) => transcript.text(part.text.clone()),
    }
}

fn result(record: &Record, response: &FunctionResponse) -> ToolResult {
    let status = match record.tool_call_result.status.as_str() {
        "success" => ToolStatus::Ok,
        "error" => ToolStatus::Error,
        "cancelled" => ToolStatus::Cancelled,
        _ => ToolStatus::Unknown,
    };
    let Response { output, error } = &response.response;
    let output = output.clone().or_else(|| error.clone()).unwrap_or_default();
    event::tool_result(&response.id, status, output)
}
