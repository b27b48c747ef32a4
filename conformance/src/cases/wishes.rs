//! Options of `run/start`, each asked for with a mark that occurs nowhere else. No check lives here.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use od_protocol::{ImageInput, McpServer, McpTransport, StartRunParams};
use serde_json::json;

use super::told::Told;
use crate::verdict::Finding;

/// The capabilities whose options can be asked for with a mark.
pub(super) const WISHES: &[&str] = &[
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

/// Numbers that nobody would set by himself.
const TURNS: u32 = 47_117;
const BUDGET: u64 = 20_479;

/// A picture of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// How it shows that a wish was heard.
pub(super) enum Sign {
    /// The agent CLI was told this word.
    Word(String),
    /// It was told these bytes in base64, or they lie in a file.
    Bytes(Vec<u8>),
}

impl Sign {
    /// Whether it shows.
    pub(super) fn is_in(&self, told: &Told) -> bool {
        match self {
            Self::Word(word) => told.has(word),
            Self::Bytes(bytes) => told.has(&BASE64.encode(bytes)) || told.has_file_with(bytes),
        }
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Word(word) => format!("{word:?}"),
            Self::Bytes(bytes) => format!("the {} bytes of the picture", bytes.len()),
        }
    }
}

/// Asks for the option of a capability; files that belong to it go into the folder.
///
/// # Errors
/// A suite error when a file cannot be written.
pub(super) fn wish(
    capability: &str,
    request: &mut StartRunParams,
    folder: &Path,
    mark: &str,
) -> Result<Sign, Finding> {
    let given = folder.join(mark);
    let path = given.to_string_lossy().into_owned();
    match capability {
        "systemPrompt" => request.prompt.system = Some(format!("Answer briefly, {mark}.")),
        "attachments" => {
            std::fs::write(&given, "an attachment")?;
            request.prompt.attachments = vec![path];
        }
        "images" => return Ok(picture(request, mark)),
        "skills" => {
            std::fs::create_dir(&given)?;
            let skill = format!("---\nname: {mark}\ndescription: says hello\n---\nSay hello.\n");
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
            request.max_turns = Some(TURNS);
            return Ok(Sign::Word(TURNS.to_string()));
        }
        "thinkingBudget" => {
            request.thinking_budget_tokens = Some(BUDGET);
            return Ok(Sign::Word(BUDGET.to_string()));
        }
        other => return Err(Finding::Suite(format!("nobody knows how to ask for {other}"))),
    }
    Ok(Sign::Word(mark.to_owned()))
}

/// The mark follows the end of the picture, where readers do not look.
fn picture(request: &mut StartRunParams, mark: &str) -> Sign {
    let mut bytes = BASE64.decode(PIXEL).unwrap_or_default();
    bytes.extend_from_slice(mark.as_bytes());
    let data = Some(BASE64.encode(&bytes));
    request.prompt.images = vec![ImageInput { mime: "image/png".to_owned(), data, path: None }];
    Sign::Bytes(bytes)
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
