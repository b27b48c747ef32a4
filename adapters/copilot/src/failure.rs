//! What went wrong, in the protocol's words: from `session.error`, from the text of an ACP answer,
//! from stderr when the CLI said nothing else.

use od_protocol::{ErrorEvent, ErrorKind};
use od_sdk::wording::error_text;
use od_sdk::{Exit, failure};

use crate::native::Trouble;

/// Names that keep their capital.
const NAMES: &[&str] = &["Copilot", "GitHub"];

/// `session.error`.
pub fn of_trouble(trouble: &Trouble) -> ErrorEvent {
    let status = trouble.status_code.or_else(|| status_in(&trouble.message));
    let mut error = judge(&trouble.message, status);
    if error.kind == vendor("failed") {
        error.kind = match trouble.error_type.as_str() {
            "authentication" => ErrorKind::AuthExpired,
            "rate_limit" => ErrorKind::RateLimited,
            _ => error.kind,
        };
    }
    error
}

/// A text of the CLI for people, and the HTTP status where it is known.
pub fn judge(text: &str, status: Option<u16>) -> ErrorEvent {
    let (kind, hint) = match status {
        Some(401) => {
            (ErrorKind::AuthExpired, "run `copilot login`, or check COPILOT_PROVIDER_API_KEY")
        }
        Some(402) => quota(),
        Some(403) => (
            ErrorKind::AuthWrongAccount,
            "use an account whose plan includes Copilot and the model",
        ),
        Some(404) => (ErrorKind::ModelUnknown, "choose one of `od-host models -a copilot`"),
        Some(429) if text.contains("quota") => quota(),
        Some(429) => (ErrorKind::RateLimited, "wait, then resume the session"),
        Some(400 | 413) if is_too_long(text) => too_long(),
        Some(500..=599) => unreachable_model(),
        _ => by_words(text),
    };
    failure::event(kind, error_text(text, NAMES), hint, failure::status_data(status))
}

/// The run does not want to wait for a rate limit any longer.
pub fn gave_up(retries: u32, status: u16) -> ErrorEvent {
    judge(&format!("stopped at retry {retries} after a rate limit"), Some(status))
}

/// The CLI says that it failed, and nothing more.
pub fn nameless(exit_code: i32) -> ErrorEvent {
    judge(&format!("Copilot failed with exit code {exit_code} and said no more"), None)
}

/// The CLI ended without its last line: some refusals are only on stderr.
pub fn of_exit(exit: &Exit) -> Option<ErrorEvent> {
    let mut lines = exit.stderr_tail.lines();
    let line = lines.find(|line| by_words(line).0 != vendor("failed"))?;
    Some(judge(line, None))
}

/// `… (HTTP 401) …`, `Last error: 429 …`.
pub fn status_in(text: &str) -> Option<u16> {
    let after = |mark: &str| {
        let (_, rest) = text.split_once(mark)?;
        rest.get(..3)?.parse().ok()
    };
    after("(HTTP ").or_else(|| after("Last error: "))
}

fn by_words(text: &str) -> (ErrorKind, &'static str) {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["No authentication information found"]) {
        let hint = "run `copilot login`, or set COPILOT_GITHUB_TOKEN";
        (ErrorKind::AuthMissing, hint)
    } else if says(&["token found but could not be validated"]) {
        (ErrorKind::NetworkUnreachable, "check the connection to GitHub, then try again")
    } else if says(&["Authentication failed", "not authorized"]) {
        (ErrorKind::AuthExpired, "run `copilot login`, or check COPILOT_PROVIDER_API_KEY")
    } else if says(&["No session, task, or name matched", "Session not found"]) {
        (ErrorKind::SessionUnknown, "resume a session that this machine knows")
    } else if says(&["unexpected argument", "invalid value"]) {
        let hint = "install the tested version: npm install -g @github/copilot";
        (ErrorKind::CliVersionUnsupported, hint)
    } else if says(&["rate limit"]) {
        (ErrorKind::RateLimited, "wait, then resume the session")
    } else if is_too_long(text) {
        too_long()
    } else if says(&["ECONN", "connection", "network", "timed out"]) {
        unreachable_model()
    } else {
        (vendor("failed"), "")
    }
}

fn is_too_long(text: &str) -> bool {
    let words = ["context length", "context_length", "too long", "token limit", "maximum context"];
    words.iter().any(|words| text.contains(words))
}

fn too_long() -> (ErrorKind, &'static str) {
    (ErrorKind::ContextExceeded, "start a new session, or shorten the prompt")
}

fn quota() -> (ErrorKind, &'static str) {
    (ErrorKind::QuotaExhausted, "wait for the next period, or choose another model or plan")
}

fn unreachable_model() -> (ErrorKind, &'static str) {
    (ErrorKind::NetworkUnreachable, "try again; check the connection and COPILOT_PROVIDER_BASE_URL")
}

fn vendor(word: &str) -> ErrorKind {
    ErrorKind::Vendor(format!("_copilot.{word}"))
}
