//! What the texts of failures mean, for want of a code. Every text is in a recording.

use od_protocol::ErrorKind;
use od_sdk::json_rpc::RpcError;
use serde::Deserialize;
use serde_json::Value;

use super::{Judgement, vendor};

/// How texts name an HTTP status (recordings `r401`, `r429`).
const STATUS_MARKS: &[&str] = &["unexpected status ", "last status: "];

/// A provider's error, which the CLI gives as text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ProviderError {
    pub(super) message: String,
    pub(super) code: Option<String>,
}

/// The error inside a text that is a provider's JSON (recording `ctx400`). Older versions put words
/// around it.
pub(super) fn provider_error(text: &str) -> Option<ProviderError> {
    let from_brace = &text[text.find('{')?..];
    let mut values = serde_json::Deserializer::from_str(from_brace).into_iter::<Value>();
    let reply = values.next()?.ok()?;
    let error = ProviderError::deserialize(reply.get("error")?).ok()?;
    Some(error).filter(|error| !error.message.is_empty())
}

/// The HTTP status that a text names.
pub(super) fn http_status_in(text: &str) -> Option<u16> {
    let rest = STATUS_MARKS.iter().find_map(|mark| Some(text.split_once(mark)?.1))?;
    rest.split(' ').next()?.parse().ok()
}

/// What a provider's code means.
pub(super) fn by_code(code: &str) -> Option<Judgement> {
    Some(match code {
        "context_length_exceeded" => context_exceeded(),
        "insufficient_quota" => quota_exhausted(),
        "rate_limit_exceeded" => rate_limited(),
        "model_not_found" => model_unknown(),
        "invalid_api_key" => (ErrorKind::AuthExpired, ""),
        _ => return None,
    })
}

/// What a text means.
pub(super) fn by_text(text: &str) -> Option<Judgement> {
    let says = |words: &str| text.contains(words);
    Some(if says("context window") || says("prompt is too long") {
        context_exceeded()
    } else if says("Quota exceeded") || says("usage limit") {
        quota_exhausted()
    } else if says("does not exist or you do not have access") || text.starts_with("model: ") {
        model_unknown()
    } else if says("max_output_tokens") {
        (vendor("max_output_tokens"), "ask for less at once")
    } else if says("content_filter") {
        refusal()
    } else if says("Missing environment variable") {
        (ErrorKind::AuthMissing, "set the variable that config.toml names as the provider's key")
    } else if says("stream disconnected")
        || says("error sending request")
        || says("high demand")
        || says("at capacity")
    {
        unreachable_model()
    } else {
        return None;
    })
}

/// What the refusal of a request means (recordings `resume_bad`, `resume_nouuid`).
pub(super) fn by_refusal(error: &RpcError) -> Option<Judgement> {
    let says = |words: &str| error.message.contains(words);
    let detail = error.data.get("type").and_then(Value::as_str);
    Some(if says("no rollout found") || says("invalid session id") || says("thread not found") {
        session_unknown()
    } else if detail == Some("modelProviderNotConfigured") {
        (ErrorKind::ConfigInvalid, "restore the provider in ~/.codex/config.toml, or start anew")
    } else if says("Invalid request") || says("not initialized") || says("did not name the thread")
    {
        let hint = "npm install -g @openai/codex@latest, or set adapterOptions.mode to exec";
        (ErrorKind::CliVersionUnsupported, hint)
    } else {
        return None;
    })
}

/// A line of stderr by which the CLI refuses to start (exec recordings `resume_bad`, `unknown_c`,
/// `bad_cwd`, `noprompt`).
pub(in crate::events) fn refusal_at_start(line: &str) -> Option<Judgement> {
    let says = |words: &str| line.contains(words);
    Some(if says("no rollout found") || says("No saved session found") {
        session_unknown()
    } else if says("error: unexpected argument") || says("unrecognized subcommand") {
        let hint = "install the tested version: npm install -g @openai/codex";
        (ErrorKind::CliVersionUnsupported, hint)
    } else if says("Error loading config.toml") || says("Error: model_providers") {
        (ErrorKind::ConfigInvalid, "correct ~/.codex/config.toml; `codex doctor` checks it")
    } else if says("No prompt provided") {
        (ErrorKind::ConfigInvalid, "say what the agent shall do")
    } else {
        return None;
    })
}

pub(super) fn context_exceeded() -> Judgement {
    let hint = "start a new session, or shorten the prompt and its attachments";
    (ErrorKind::ContextExceeded, hint)
}

pub(super) fn quota_exhausted() -> Judgement {
    let hint = "wait for the reset, add credit, or use another account";
    (ErrorKind::QuotaExhausted, hint)
}

pub(super) fn rate_limited() -> Judgement {
    let hint = "wait, then start the run again; adapterOptions.maxRetries lets Codex wait itself";
    (ErrorKind::RateLimited, hint)
}

pub(super) fn model_unknown() -> Judgement {
    (ErrorKind::ModelUnknown, "choose one of `od-host models -a codex`")
}

pub(super) fn unreachable_model() -> Judgement {
    let hint = "try again; check the connection and the base_url in ~/.codex/config.toml";
    (ErrorKind::NetworkUnreachable, hint)
}

pub(super) fn refusal() -> Judgement {
    (vendor("refusal"), "rephrase the prompt, or choose another model")
}

fn session_unknown() -> Judgement {
    (ErrorKind::SessionUnknown, "`sessions/list` names the sessions of this machine")
}
