//! What went wrong, in the protocol's words: from what Qwen Code says in the model's place, from
//! its results, from its stderr when it said nothing else.

use od_protocol::{ErrorEvent, ErrorKind};
use od_sdk::wording::error_text;
use od_sdk::{Exit, failure};

use crate::native::ResultLine;

/// Names that keep their capital.
const NAMES: &[&str] = &["Qwen", "API", "OpenAI"];

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    kind: ErrorKind,
    message: String,
    hint: &'static str,
    http_status: Option<u16>,
}

impl Failure {
    /// `[API Error: 401 Incorrect API key provided]`: the status, where an answer came, then the
    /// provider's words.
    pub(super) fn judge(complaint: &str) -> Self {
        let text = complaint.trim_start_matches("[API Error: ").trim_end_matches(']');
        let http_status = text.split([' ', ':']).next().and_then(|word| word.parse().ok());
        let (kind, hint) = by_status(http_status, text);
        Self { kind, hint, http_status, message: error_text(text, NAMES) }
    }

    /// A turn that Qwen Code itself calls failed.
    pub(super) fn of_result(result: &ResultLine) -> Self {
        let text = result.error.as_ref().map_or(result.subtype.as_str(), |error| &error.message);
        let (kind, hint) = by_words(text);
        Self { kind, hint, http_status: None, message: error_text(text, NAMES) }
    }

    /// Nothing came from the model for too long.
    pub(super) fn silence(silence_ms: u128) -> Self {
        Self {
            kind: ErrorKind::RateLimited,
            message: format!(
                "nothing came from the model for {silence_ms} ms: Qwen Code makes a refused request again and again without a word"
            ),
            hint: "wait, then resume the session; a slow model gets more time with adapterOptions.maxSilenceMs",
            http_status: None,
        }
    }

    /// The CLI ended without a result: some refusals are only on stderr.
    pub(super) fn from_exit(exit: &Exit) -> Option<Self> {
        let mut lines = exit.stderr_tail.lines();
        let line = lines.find(|line| !matches!(by_words(line).0, ErrorKind::Vendor(_)))?;
        let (kind, hint) = by_words(line);
        Some(Self { kind, hint, http_status: None, message: error_text(line, NAMES) })
    }

    /// As an event; only the failure of the last turn is fatal.
    pub(super) fn event(&self, fatal: bool) -> ErrorEvent {
        let data = failure::status_data(self.http_status);
        let event = failure::event(self.kind.clone(), self.message.clone(), self.hint, data);
        ErrorEvent { fatal, ..event }
    }
}

fn by_status(status: Option<u16>, text: &str) -> (ErrorKind, &'static str) {
    match status {
        Some(401) => (ErrorKind::AuthExpired, "check the key, or run `qwen auth`"),
        Some(403) => {
            (ErrorKind::AuthWrongAccount, "choose a model that the key may use, or run `qwen auth`")
        }
        Some(404) => (ErrorKind::ModelUnknown, "choose a model that the provider knows"),
        Some(429) if text.contains("quota") => {
            (ErrorKind::QuotaExhausted, "wait for the next period, or use another account")
        }
        Some(429) => (ErrorKind::RateLimited, "wait, then resume the session"),
        Some(400 | 413) if is_too_long(text) => too_long(),
        Some(500..=599) => unreachable_provider(),
        Some(_) => (vendor("api_error"), ""),
        None => by_words(text),
    }
}

/// What has no status: a broken connection, a refusal of Qwen Code's own.
fn by_words(text: &str) -> (ErrorKind, &'static str) {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["No saved session found"]) {
        (ErrorKind::SessionUnknown, "resume a session that began in this folder")
    } else if says(&["is already in use"]) {
        (ErrorKind::SessionBusy, "choose another session id, or resume the session")
    } else if says(&["No auth type is selected", "Missing API key", "Missing credentials"]) {
        let hint = "run `qwen auth`, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL";
        (ErrorKind::AuthMissing, hint)
    } else if says(&["Unknown argument", "Invalid values"]) {
        let hint = "install the tested version: npm install -g @qwen-code/qwen-code";
        (ErrorKind::CliVersionUnsupported, hint)
    } else if says(&["max session turns", "error_max_turns"]) {
        let hint = "raise maxTurns, or resume the session to go on";
        (vendor("max_turns"), hint)
    } else if is_too_long(text) {
        too_long()
    } else if says(&["terminated", "ECONNRE", "fetch failed", "Connection error", "socket"]) {
        unreachable_provider()
    } else {
        (vendor("failed"), "")
    }
}

fn is_too_long(text: &str) -> bool {
    ["maximum context length", "context_length", "too many tokens", "input is too long"]
        .iter()
        .any(|words| text.contains(words))
}

fn too_long() -> (ErrorKind, &'static str) {
    (ErrorKind::ContextExceeded, "start a new session, or shorten the prompt")
}

fn unreachable_provider() -> (ErrorKind, &'static str) {
    (ErrorKind::NetworkUnreachable, "try again; check the connection and OPENAI_BASE_URL")
}

fn vendor(word: &str) -> ErrorKind {
    ErrorKind::Vendor(format!("_qwen.{word}"))
}
