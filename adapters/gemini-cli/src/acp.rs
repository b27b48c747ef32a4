//! A run over ACP: its parameters and Gemini CLI's deviations. The sdk implements the protocol.

use std::borrow::Cow;
use std::time::Duration;

use od_protocol::adapter::StartRunParams;
use od_protocol::{Credential, ErrorEvent, ErrorObject, ImageInput, Prompt, ToolKind};
use od_sdk::acp::{
    self, AcpMapper, Call, Dialect, Handshake, PromptResult, Stage, TokenUsage, ToolCall,
};
use od_sdk::json_rpc::RpcError;
use od_sdk::start_run::AdapterOptions;
use od_sdk::usage::Tokens;
use od_sdk::{Exit, Install, Mapper, RunOutput, diff};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::events::RETRY_PAUSE_MS;
use crate::options::Options;
use crate::retries::Retries;
use crate::{failure, tool_names};

/// Prefix of a thought without a heading: the CLI puts every heading between asterisks.
const EMPTY_HEADING: &str = "****\n";
/// Prefix of a heading.
const HEADING_PREFIX: &str = "**";
/// An invisible character: a prompt that starts with it is not a command.
const ZERO_WIDTH_SPACE: &str = "\u{200b}";
/// The JSON-RPC code of a missing login.
const AUTH_REQUIRED: i64 = -32000;

/// The tokens of a turn in the response to `session/prompt`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Quota {
    token_count: TokenCount,
    model_usage: Vec<ModelUsage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ModelUsage {
    model: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenCount {
    input_tokens: u64,
    output_tokens: u64,
}

/// The session parameters. Model and permission mode are flags.
///
/// # Errors
/// When an image has no content.
pub fn handshake(start_run_params: &StartRunParams) -> Result<Handshake, ErrorObject> {
    let prompt = prompt_blocks(&start_run_params.prompt)?;
    Ok(Handshake { prompt, settings: Vec::new(), ..Handshake::of(start_run_params)? })
}

/// Returns the mapper of a run.
///
/// # Panics
/// On a prompt that the invocation refuses.
pub fn mapper(start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper> {
    let handshake = handshake(start_run_params).expect("the invocation rejects invalid images");
    let dialect = GeminiDialect {
        credential: install.credential.clone(),
        retries: Retries::new(&Options::lenient(start_run_params)),
    };
    Box::new(AcpMapper::new(handshake, Box::new(dialect)))
}

/// The CLI executes a prompt that looks like a command, unless a character precedes it. It uses the
/// path of a link literally, without decoding escapes.
fn prompt_blocks(prompt: &Prompt) -> Result<Vec<Value>, ErrorObject> {
    let by_value: Vec<ImageInput> = prompt
        .images
        .iter()
        .filter(|image| image.path.is_none() || image.data.is_some())
        .cloned()
        .collect();
    let by_path = prompt.images.iter().filter(|image| image.data.is_none());
    let files = by_path.filter_map(|image| image.path.as_ref()).chain(&prompt.attachments);
    let is_command = prompt.text.trim_start().starts_with(['/', '$']);
    let text = match is_command {
        true => format!("{ZERO_WIDTH_SPACE}{}", prompt.text),
        false => prompt.text.clone(),
    };
    let inline = Prompt { text, images: by_value, ..Prompt::default() };
    let mut blocks = acp::prompt_blocks(&inline)?;
    blocks.extend(files.map(|path| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        json!({"type": "resource_link", "uri": format!("file://{path}"), "name": name})
    }));
    Ok(blocks)
}

/// Gemini CLI's deviations from the protocol.
struct GeminiDialect {
    credential: Option<Credential>,
    retries: Retries,
}

impl Dialect for GeminiDialect {
    /// Errors of the provider have their HTTP status as code, or 500 when the CLI does not know it.
    fn failure(&self, error: &RpcError, _stage: Stage) -> ErrorEvent {
        let details = error.data.get("details").and_then(Value::as_str);
        let text = details.unwrap_or(&error.message);
        let status = match error.code {
            AUTH_REQUIRED => None,
            code => u16::try_from(code).ok().filter(|code| (400..600).contains(code)),
        };
        failure::classify(text, status, self.credential.as_ref())
    }

    fn tool_name(&self, tool_call: &ToolCall) -> String {
        tool_names::tool_of(&tool_call.tool_call_id).to_owned()
    }

    /// The CLI sends no input: the title of a command is the command, files are locations, and a
    /// planned write is a diff.
    fn tool_input(&self, call: &Call) -> Value {
        if let Some(change) = call.content.iter().find(|content| content.kind == "diff") {
            let old = change.old_text.as_deref().unwrap_or_default();
            let diff = match old.is_empty() {
                true => diff::created(&change.path, &change.new_text),
                false => diff::edited(&change.path, old, &change.new_text),
            };
            return json!({"file_path": change.path, "diff": diff});
        }
        match (call.kind, &call.title, call.locations.first()) {
            (ToolKind::Execute, Some(command), _) => json!({"command": command}),
            (_, _, Some(path)) => json!({"file_path": path}),
            (_, Some(title), None) => json!({"title": title}),
            (_, None, None) => json!({}),
        }
    }

    /// The content of a running call is its explanation, not its output.
    fn reports_output(&self) -> bool {
        false
    }

    /// The CLI trims each part and adds a heading. A part with a heading starts a paragraph, a part
    /// without one continues the previous text; 0.40.1 leaves such a part unchanged.
    fn thought<'a>(&self, text: &'a str, is_first: bool) -> Cow<'a, str> {
        match text.strip_prefix(EMPTY_HEADING) {
            Some(text) if is_first => Cow::Borrowed(text),
            Some(text) => Cow::Owned(format!(" {text}")),
            None if text.starts_with(HEADING_PREFIX) && !is_first => {
                Cow::Owned(format!("\n\n{text}"))
            }
            None => Cow::Borrowed(text),
        }
    }

    fn usage(&self, prompt_result: &PromptResult) -> Option<Tokens> {
        let Quota { token_count, .. } = quota(prompt_result)?;
        Some(acp::tokens_of(TokenUsage {
            input_tokens: token_count.input_tokens,
            output_tokens: token_count.output_tokens,
            total_tokens: token_count.input_tokens.saturating_add(token_count.output_tokens),
            ..TokenUsage::default()
        }))
    }

    /// The session's model may be `auto`.
    fn usage_model(&self, prompt_result: &PromptResult) -> Option<String> {
        let mut models = quota(prompt_result)?.model_usage.into_iter().map(|usage| usage.model);
        models.next().filter(|_| models.next().is_none())
    }

    /// The history of a loaded session follows the response, and the commands follow the history
    /// (recording `load.acp`).
    fn history_end(&self) -> Option<&'static str> {
        Some("available_commands_update")
    }

    fn silent_retry(&self) -> Option<Duration> {
        Some(Duration::from_millis(RETRY_PAUSE_MS))
    }

    fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        self.retries.on_stderr_line(line, output);
    }

    fn exit_failure(&self, exit: &Exit) -> Option<ErrorEvent> {
        failure::of_exit(exit, self.credential.as_ref())
    }
}

fn quota(prompt_result: &PromptResult) -> Option<Quota> {
    Quota::deserialize(prompt_result.meta.get("quota")?).ok()
}
