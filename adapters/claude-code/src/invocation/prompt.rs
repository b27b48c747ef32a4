//! The first lines of stdin: the session is opened where there is something to say about it, then
//! the prompt.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject};
use od_sdk::start_run::SystemMode;
use od_sdk::stream_json::control::{image_block, text_block};
use serde_json::Value;

use crate::control::{self, SystemPrompt};
use crate::options::Options;

/// What is written before the CLI has said anything.
///
/// # Errors
/// A picture without content, a file whose name cannot be mentioned.
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
            (None, None) => return Err(invalid("a picture has neither data nor path")),
        }
    }
    let mentions = mentions(&files)?;
    push_line(&mut lines, &control::user_line(blocks, &mentions, &control::fresh_uuid()));
    Ok(lines)
}

/// The last block is the one whose `@files` the CLI reads, without asking and from any folder;
/// pictures among them are shown to the model.
fn mentions(files: &[&str]) -> Result<String, ErrorObject> {
    if files.is_empty() {
        return Ok(String::new());
    }
    if let Some(file) = files.iter().find(|file| file.contains(['"', '\n'])) {
        return Err(invalid(format!(
            "{file:?} cannot be attached: its name holds a quote or a line end"
        )));
    }
    let mentions: Vec<String> = files.iter().map(|file| format!("@\"{file}\"")).collect();
    Ok(format!("Attached files:\n{}", mentions.join("\n")))
}

fn invalid(message: impl Into<String>) -> ErrorObject {
    ErrorObject::new(ErrorKind::ConfigInvalid, message)
        .with_hint("give pictures as base64 or by path, and files by their path")
}

fn push_line(lines: &mut Vec<u8>, line: &Value) {
    lines.extend(line.to_string().into_bytes());
    lines.push(b'\n');
}
