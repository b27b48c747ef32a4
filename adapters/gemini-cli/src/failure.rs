//! What went wrong, in the protocol's words: from the provider's errors, whichever way they are
//! told, and from the exit code and stderr where nothing else was said.

use od_protocol::{Credential, ErrorEvent, ErrorKind, JsonObject, StopReason};
use od_sdk::Exit;
use od_sdk::acp::http_failure;
use od_sdk::wording::error_text;
use serde::Deserialize;

/// Names that keep their capital.
const NAMES: &[&str] = &["Gemini"];
/// What to type without a login.
const LOG_IN: &str = "start `gemini` once and choose how to log in, or set GEMINI_API_KEY";

/// A provider's error as the CLI passes it on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ProviderError {
    error: ProviderDetails,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ProviderDetails {
    code: Option<u16>,
    message: String,
}

/// Judges a provider's error by its text and, where it is known, its HTTP status. The text comes
/// first: in ACP every error without a status is a 500.
pub fn judge(text: &str, status: Option<u16>, credential: Option<&Credential>) -> ErrorEvent {
    let (text, stated) = unwrapped(text);
    let status = stated.or(status);
    let says = |words: &str| text.contains(words);
    let (kind, hint) = if says("exceeds the maximum number of tokens") {
        let hint = "start a new session, or shorten the prompt and its attachments";
        (ErrorKind::ContextExceeded, hint.to_owned())
    } else if says("API key not valid") || says("API_KEY_INVALID") || status == Some(401) {
        refused(credential)
    } else if says("API key is missing") || says("Authentication required") {
        (ErrorKind::AuthMissing, LOG_IN.to_owned())
    } else if says("is not found for API version") {
        model_unknown()
    } else if says("daily quota") || says("quota exceeded for the day") {
        let hint = "wait for the reset, or use another model or account";
        (ErrorKind::QuotaExhausted, hint.to_owned())
    } else if says("exceeded your current quota") || says("Resource has been exhausted") {
        rate_limited()
    } else if says("Invalid session identifier") || says("Session not found") {
        session_unknown()
    } else {
        by_status(status, &text)
    };
    let mut event = ErrorEvent::fatal(kind, error_text(&text, NAMES)).with_hint(hint);
    event.retryable = matches!(event.kind, ErrorKind::RateLimited | ErrorKind::NetworkUnreachable);
    if let Some(status) = status.filter(|status| *status != 500) {
        event.data = Some(JsonObject::from_iter([("httpStatus".to_owned(), status.into())]));
    }
    event
}

/// What the exit says when the CLI said nothing else. Errors of the provider become their HTTP
/// status modulo 256, so 145 is 401 and 173 is 429 (recordings `auth`, `maxattempts2`).
pub fn of_exit(exit: &Exit, credential: Option<&Credential>) -> Option<ErrorEvent> {
    let last_words = last_words(&exit.stderr_tail);
    let (kind, hint) = match exit.code? {
        41 => (ErrorKind::AuthMissing, LOG_IN.to_owned()),
        42 if last_words.contains("session") => session_unknown(),
        42 => (ErrorKind::ConfigInvalid, "correct the option's value".to_owned()),
        44 => (vendor("sandbox"), "check the sandbox in Gemini CLI's settings".to_owned()),
        52 => {
            let hint = "correct Gemini CLI's settings: ~/.gemini/settings.json";
            (ErrorKind::ConfigInvalid, hint.to_owned())
        }
        53 => (vendor("max_turns"), "raise model.maxSessionTurns in the settings".to_owned()),
        55 => {
            let hint = "trust the folder: start `gemini` in it once";
            (ErrorKind::PermissionDenied, hint.to_owned())
        }
        1 if last_words.starts_with("Unknown argument") => {
            let hint = "install the tested version: npm install -g @google/gemini-cli";
            (ErrorKind::CliVersionUnsupported, hint.to_owned())
        }
        code => {
            let status = u16::try_from(code).ok().map(|code| code + 256);
            let status = status.filter(|status| (400..512).contains(status))?;
            return Some(judge(&last_words, Some(status), credential));
        }
    };
    Some(ErrorEvent::fatal(kind, error_text(&last_words, NAMES)).with_hint(hint))
}

/// Why the model stopped, where the failure says so.
pub fn stop_reason(kind: &ErrorKind) -> StopReason {
    match kind.as_str() {
        "_gemini.max_turns" => StopReason::MaxTurnRequests,
        _ => StopReason::Error,
    }
}

/// An error of a kind the protocol has no word for.
pub fn vendor(word: &str) -> ErrorKind {
    ErrorKind::Vendor(format!("_gemini.{word}"))
}

/// The text and status inside `[API Error: {"error":{…}}]`; only its first line is the provider's.
fn unwrapped(text: &str) -> (String, Option<u16>) {
    let first = text.lines().next().unwrap_or_default().trim();
    let inner = first.strip_prefix("[API Error: ").unwrap_or(first);
    let inner = inner.strip_suffix(']').unwrap_or(inner);
    match serde_json::from_str::<ProviderError>(inner) {
        Ok(provider) if !provider.error.message.is_empty() => {
            (provider.error.message, provider.error.code)
        }
        _ => (inner.to_owned(), None),
    }
}

fn by_status(status: Option<u16>, text: &str) -> (ErrorKind, String) {
    let is_network = ["terminated", "fetch failed", "ECONN", "ENOTFOUND", "socket"]
        .iter()
        .any(|words| text.contains(words));
    match status {
        Some(404) => model_unknown(),
        Some(429) => rate_limited(),
        _ if is_network => http_failure(503).map_or_else(unknown, worded),
        Some(status) => http_failure(status).map_or_else(unknown, worded),
        None => unknown(),
    }
}

fn worded((kind, hint): (ErrorKind, &'static str)) -> (ErrorKind, String) {
    (kind, hint.to_owned())
}

fn unknown() -> (ErrorKind, String) {
    (vendor("api_error"), "see the message; try again, or choose another model".to_owned())
}

fn refused(credential: Option<&Credential>) -> (ErrorKind, String) {
    let hint = match credential {
        Some(credential) => format!("{} was refused: set a valid one", credential.name),
        None => LOG_IN.to_owned(),
    };
    (ErrorKind::AuthExpired, hint)
}

fn rate_limited() -> (ErrorKind, String) {
    (ErrorKind::RateLimited, "wait, then start the run again or resume it".to_owned())
}

fn model_unknown() -> (ErrorKind, String) {
    (ErrorKind::ModelUnknown, "choose one of `od-host models -a gemini-cli`".to_owned())
}

fn session_unknown() -> (ErrorKind, String) {
    let hint = "a session can be resumed only from the folder it was started in: use its cwd, or start a new one";
    (ErrorKind::SessionUnknown, hint.to_owned())
}

/// What stderr ends with, leaving out what the CLI says on every start.
fn last_words(stderr: &str) -> String {
    const NOISE: &[&str] = &[
        "Warning: ",
        "YOLO mode",
        "Ripgrep is not",
        "[STARTUP]",
        "Approval mode overridden",
        "    at ",
        "  Searched for",
        "  Use --list",
        // Its log, which says everything twice.
        "[2",
    ];
    let is_noise = |line: &&str| NOISE.iter().any(|start| line.starts_with(start));
    let mut lines = stderr.lines().filter(|line| !line.trim().is_empty() && !is_noise(line));
    lines.next().unwrap_or("it ended without a word").trim().to_owned()
}
