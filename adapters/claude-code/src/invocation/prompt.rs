//! The first lines of stdin: the session is opened where there is something to say about it, then
//! the prompt.

use od_protocol::{ErrorKind, ErrorObject, ImageInput, StartRunParams};
use serde_json::Value;

use crate::control::{self, SystemPrompt};
use crate::options::{Options, SystemMode};

/// What is written before the CLI has said anything.
///
/// # Errors
/// A picture by path: reading it is the host's part.
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
    let mut blocks = vec![control::text_block(&prompt.text)];
    for image in &prompt.images {
        blocks.push(image_block(image)?);
    }
    let mentions = mentions(&prompt.attachments);
    push_line(&mut lines, &control::user_line(blocks, &mentions, &control::fresh_uuid()));
    Ok(lines)
}

/// The last block is the one whose `@files` the CLI reads, without asking and from any folder.
fn mentions(attachments: &[String]) -> String {
    if attachments.is_empty() {
        return String::new();
    }
    let mentions: Vec<String> = attachments.iter().map(|path| format!("@\"{path}\"")).collect();
    format!("Attached files:\n{}", mentions.join("\n"))
}

fn image_block(image: &ImageInput) -> Result<Value, ErrorObject> {
    match &image.data {
        Some(data) => Ok(control::image_block(&image.mime, data)),
        None => Err(ErrorObject::new(
            ErrorKind::ConfigInvalid,
            "a picture by path cannot be handed to claude code",
        )
        .with_hint("give the picture as base64 in `data`, or its path in `prompt.attachments`")),
    }
}

fn push_line(lines: &mut Vec<u8>, line: &Value) {
    lines.extend(line.to_string().into_bytes());
    lines.push(b'\n');
}
