//! The first lines of stdin: an `initialize` request if the run has a system prompt, then the prompt.

use od_protocol::ErrorObject;
use od_protocol::adapter::StartRunParams;
use od_sdk::start_run::{self, SystemMode};
use od_sdk::stream_json::control::{image_block, text_block};
use serde_json::Value;

use crate::control::{self, SystemPrompt};
use crate::options::Options;

/// Returns the lines that are written before the CLI prints anything.
///
/// # Errors
/// When an image has no content, or a file name cannot be written as `@"file"`.
pub(super) fn first_lines(
    start_run_params: &StartRunParams,
    options: &Options,
) -> Result<Vec<u8>, ErrorObject> {
    let prompt = &start_run_params.prompt;
    let mut lines = Vec::new();
    if let Some(system) = &prompt.system {
        let system = match options.system_mode {
            SystemMode::Append => SystemPrompt::Append(system),
            SystemMode::Replace => SystemPrompt::Replace(system),
        };
        push_line(&mut lines, &control::initialize(Some(system)));
    }
    let mut blocks = vec![text_block(&prompt.text)];
    let mut files: Vec<&str> = prompt.attachments.iter().map(String::as_str).collect();
    for image in &prompt.images {
        match (&image.data, &image.path) {
            (Some(data), _) => blocks.push(image_block(&image.mime, data)),
            (None, Some(path)) => files.push(path),
            (None, None) => return Err(invalid("an image has neither data nor path")),
        }
    }
    let mentions = mentions(&files)?;
    push_line(&mut lines, &control::user_line(blocks, &mentions, &control::new_uuid()));
    Ok(lines)
}

/// The text of the last block: the CLI reads its `@files` without approval and from any folder, and
/// passes images among them to the model.
fn mentions(files: &[&str]) -> Result<String, ErrorObject> {
    if files.is_empty() {
        return Ok(String::new());
    }
    if let Some(file) = files.iter().find(|file| file.contains(['"', '\n'])) {
        return Err(invalid(format!(
            "{file:?} cannot be attached: its name contains a quote or a line break"
        )));
    }
    let mentions: Vec<String> = files.iter().map(|file| format!("@\"{file}\"")).collect();
    Ok(format!("Attached files:\n{}", mentions.join("\n")))
}

fn invalid(message: impl Into<String>) -> ErrorObject {
    start_run::invalid(message, "give an image as base64 or by path, and a file by its path")
}

fn push_line(lines: &mut Vec<u8>, line: &Value) {
    lines.extend(line.to_string().into_bytes());
    lines.push(b'\n');
}
