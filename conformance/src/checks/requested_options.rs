//! Options of `run/start`, each requested with a marker that occurs nowhere else. Contains no
//! check.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use od_protocol::adapter::StartRunParams;
use od_protocol::{ImageInput, McpServer, McpTransport};
use serde_json::json;

use super::cli_input::CliInput;
use crate::outcome::Finding;

/// The capabilities whose options can carry a marker.
pub(super) const OPTION_CAPABILITIES: &[&str] = &[
    "systemPrompt",
    "attachments",
    "images",
    "skills",
    "addDirs",
    "toolLists",
    "mcpServers",
    "outputSchema",
    "maxTurns",
    "thinkingBudget",
];

/// Numbers that no default uses.
const UNUSUAL_MAX_TURNS: u32 = 47_117;
const UNUSUAL_TOKEN_BUDGET: u64 = 20_479;

/// A PNG image of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// How an option is recognized in the input of the agent CLI.
pub(super) enum OptionMark {
    /// The input contains this text.
    Text(String),
    /// The input contains these bytes as base64, or a file contains them.
    Bytes(Vec<u8>),
}

impl OptionMark {
    /// Whether the input contains the option.
    pub(super) fn is_in(&self, input: &CliInput) -> bool {
        match self {
            Self::Text(text) => input.has(text),
            Self::Bytes(bytes) => input.has(&BASE64.encode(bytes)) || input.has_file_with(bytes),
        }
    }

    /// Describes the marker for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Text(text) => format!("{text:?}"),
            Self::Bytes(bytes) => format!("the {} bytes of the image", bytes.len()),
        }
    }
}

/// Requests the option of a capability; its files are written to the folder.
pub(super) fn request_option(
    capability: &str,
    request: &mut StartRunParams,
    folder: &Path,
    mark: &str,
) -> Result<OptionMark, Finding> {
    let given = folder.join(mark);
    let path = given.to_string_lossy().into_owned();
    match capability {
        "systemPrompt" => request.prompt.system = Some(format!("Answer briefly, {mark}.")),
        "attachments" => {
            std::fs::write(&given, "an attachment")?;
            request.prompt.attachments = vec![path];
        }
        "images" => return Ok(add_image(request, mark)),
        "skills" => {
            std::fs::create_dir(&given)?;
            let skill = format!("---\nname: {mark}\ndescription: prints hello\n---\nSay hello.\n");
            std::fs::write(given.join("SKILL.md"), skill)?;
            request.skills = vec![path];
        }
        "addDirs" => {
            std::fs::create_dir(&given)?;
            request.add_dirs = vec![path];
        }
        "toolLists" => request.denied_tools = Some(vec![mark.to_owned()]),
        "mcpServers" => request.mcp_servers = vec![server(mark)],
        "outputSchema" => request.output_schema = schema(mark),
        "maxTurns" => {
            request.max_turns = Some(UNUSUAL_MAX_TURNS);
            return Ok(OptionMark::Text(UNUSUAL_MAX_TURNS.to_string()));
        }
        "thinkingBudget" => {
            request.thinking_budget_tokens = Some(UNUSUAL_TOKEN_BUDGET);
            return Ok(OptionMark::Text(UNUSUAL_TOKEN_BUDGET.to_string()));
        }
        other => {
            return Err(Finding::Suite(format!("the suite cannot request the option of {other}")));
        }
    }
    Ok(OptionMark::Text(mark.to_owned()))
}

/// The marker follows the end of the image, where decoders ignore it.
fn add_image(request: &mut StartRunParams, mark: &str) -> OptionMark {
    let mut bytes = BASE64.decode(PIXEL).unwrap_or_default();
    bytes.extend_from_slice(mark.as_bytes());
    let data = Some(BASE64.encode(&bytes));
    request.prompt.images = vec![ImageInput { mime: "image/png".to_owned(), data, path: None }];
    OptionMark::Bytes(bytes)
}

fn server(mark: &str) -> McpServer {
    McpServer {
        name: mark.to_owned(),
        transport: McpTransport::Stdio,
        command: Some(format!("mcp-{mark}")),
        args: Vec::new(),
        env: std::collections::BTreeMap::new(),
        url: None,
        headers: std::collections::BTreeMap::new(),
    }
}

fn schema(mark: &str) -> Option<od_protocol::JsonObject> {
    let schema = json!({
        "type": "object",
        "properties": {mark: {"type": "string"}},
        "required": [mark],
        "additionalProperties": false,
    });
    schema.as_object().cloned()
}
