//! What went wrong, in the protocol's words: from a failed message, a refused command, or stderr
//! when the CLI said nothing else.

use od_protocol::{Credential, CredentialKind, ErrorEvent, ErrorKind, JsonObject};
use serde_json::Value;

use crate::Exit;
use crate::pi::Dialect;
use crate::pi::native::Message;
use crate::wording::error_text;

/// Texts of providers by which a prompt is too long for the model. They are looked for in failed
/// requests only.
const TOO_LONG: &[&str] = &[
    "too long",
    "context_length_exceeded",
    "context length",
    "context window",
    "maximum context",
    "too many tokens",
];
/// Texts by which nothing is left, where "slow down" has the same status.
const USED_UP: &[&str] = &["quota", "billing", "credit", "usage limit", "insufficient"];
/// Texts without a status that speak of the connection or of the provider itself.
const UNREACHABLE: &[&str] = &[
    "overloaded",
    "connection",
    "fetch failed",
    "stream ended",
    "stream closed",
    "network",
    "timed out",
    "timeout",
    "terminated",
    "socket",
    "econn",
    "enotfound",
];

/// Names that begin a text and stay as they are.
const NAMES: &[&str] = &["OpenAI", "Anthropic", "Google", "GitHub", "Node.js"];

/// What the CLI says about a failure.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Complaint {
    /// For people.
    pub(super) text: String,
    /// The HTTP status, when an answer came.
    pub(super) status: Option<u16>,
    /// How long to wait, where the text says so.
    pub(super) retry_after_ms: Option<u64>,
}

impl Complaint {
    /// The words of a failed message. pi writes `401: {json}`, omp `401 text`, and omp puts what
    /// the provider said about waiting into the text (recordings `r401`, `r429` of both).
    pub(super) fn new(words: &str, status: Option<u16>) -> Self {
        let (in_text, rest) = leading_status(words);
        let json = serde_json::from_str::<Value>(rest).ok();
        let told = json.as_ref().and_then(|json| {
            let places = ["/message", "/error/message"];
            places.into_iter().find_map(|place| json.pointer(place)?.as_str())
        });
        let first_line = rest.lines().next().unwrap_or_default();
        let retry_after_ms = number_after(first_line, "retry-after-ms=");
        let text = told.unwrap_or(first_line);
        let text = text.split(" retry-after-ms=").next().unwrap_or(text);
        let text = match (text, status.or(in_text)) {
            ("", Some(status)) => format!("the provider answered with status {status}"),
            (text, _) => text.to_owned(),
        };
        Self { text, status: status.or(in_text), retry_after_ms }
    }

    /// A message that failed.
    pub(super) fn of(message: &Message) -> Self {
        Self::new(message.error_message.as_deref().unwrap_or_default(), message.error_status)
    }

    /// Its kind.
    pub(super) fn kind(&self, dialect: &Dialect) -> ErrorKind {
        let text = self.text.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        match self.status {
            Some(400 | 413 | 422) if says(TOO_LONG) => ErrorKind::ContextExceeded,
            Some(401) => ErrorKind::AuthExpired,
            Some(402) => ErrorKind::QuotaExhausted,
            Some(403) => ErrorKind::AuthWrongAccount,
            Some(404) => ErrorKind::ModelUnknown,
            Some(429) if says(USED_UP) => ErrorKind::QuotaExhausted,
            Some(429) => ErrorKind::RateLimited,
            Some(408 | 500..=599) => ErrorKind::NetworkUnreachable,
            None if says(TOO_LONG) => ErrorKind::ContextExceeded,
            None if says(UNREACHABLE) => ErrorKind::NetworkUnreachable,
            _ => ErrorKind::Vendor(format!("_{}.api_error", dialect.id)),
        }
    }

    /// As an event.
    pub(super) fn error(
        &self,
        dialect: &Dialect,
        credential: Option<&Credential>,
        fatal: bool,
    ) -> ErrorEvent {
        let kind = self.kind(dialect);
        let mut data = JsonObject::new();
        if let Some(status) = self.status {
            data.insert("httpStatus".to_owned(), status.into());
        }
        if let Some(wait) = self.retry_after_ms {
            data.insert("retryAfterMs".to_owned(), wait.into());
        }
        ErrorEvent {
            message: error_text(&self.text, NAMES),
            hint: hint(&kind, dialect, credential),
            fatal,
            retryable: matches!(kind, ErrorKind::RateLimited | ErrorKind::NetworkUnreachable),
            data: Some(data).filter(|data| !data.is_empty()),
            kind,
        }
    }
}

/// A refusal in the CLI's own words: a command that was not taken, or the last lines of stderr.
pub(super) fn refusal(words: &str, dialect: &Dialect) -> Option<ErrorEvent> {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let (line, kind) = lines.find_map(|line| Some((line, refusal_kind(line)?)))?;
    let event = ErrorEvent::fatal(kind, error_text(line, NAMES));
    Some(match hint(&event.kind, dialect, None) {
        Some(hint) => event.with_hint(hint),
        None => event,
    })
}

/// The CLI ended without a last word, and its stderr says why.
pub(super) fn of_exit(exit: &Exit, dialect: &Dialect) -> Option<ErrorEvent> {
    refusal(&exit.stderr_tail, dialect)
}

fn refusal_kind(line: &str) -> Option<ErrorKind> {
    let says = |words: &str| line.contains(words);
    let kind = if says("No API key found")
        || says("No models available")
        || says("No model selected")
        || says("No model configured")
    {
        ErrorKind::AuthMissing
    } else if says("Authentication failed for") {
        ErrorKind::AuthExpired
    } else if says("No session found")
        || says("Session found in different project")
        || says("Session \"") && says("not found")
    {
        ErrorKind::SessionUnknown
    } else if says("Model ") && says("not found") {
        ErrorKind::ModelUnknown
    } else if says("Unknown option") || says("Unknown flag") || says("Nonexistent flag") {
        ErrorKind::CliVersionUnsupported
    } else if says("does not provide an export named") || says("Unsupported engine") {
        // An interpreter older than the CLI needs.
        ErrorKind::CliSpawnFailed
    } else {
        return None;
    };
    Some(kind)
}

fn hint(kind: &ErrorKind, dialect: &Dialect, credential: Option<&Credential>) -> Option<String> {
    let hint = match kind {
        ErrorKind::AuthMissing => dialect.login_hint.to_owned(),
        ErrorKind::AuthExpired => match credential {
            Some(credential) if credential.kind != CredentialKind::Subscription => {
                format!("{} was refused: set a valid one", credential.name)
            }
            _ => dialect.login_hint.to_owned(),
        },
        ErrorKind::AuthWrongAccount => {
            "choose another model, or log in to an account that may use it".to_owned()
        }
        ErrorKind::RateLimited => "wait, then start the run again or resume it".to_owned(),
        ErrorKind::QuotaExhausted => {
            "wait for the reset, add credit, or use another account".to_owned()
        }
        ErrorKind::ContextExceeded => {
            "start a new session, or shorten the prompt and its attachments".to_owned()
        }
        ErrorKind::ModelUnknown => format!("choose one of `od-host models -a {}`", dialect.id),
        ErrorKind::SessionUnknown => {
            "a session is looked for in the folder it was started in: use its cwd, or start a new one"
                .to_owned()
        }
        ErrorKind::NetworkUnreachable => {
            "try again; check the connection and the provider's address".to_owned()
        }
        ErrorKind::CliVersionUnsupported | ErrorKind::CliSpawnFailed => {
            format!("install the tested version: {}", dialect.install_command)
        }
        _ => return None,
    };
    Some(hint)
}

/// `401: rest` and `401 rest`.
fn leading_status(words: &str) -> (Option<u16>, &str) {
    let words = words.trim();
    let digits = words.get(..3).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let rest = words.get(3..).filter(|rest| rest.is_empty() || rest.starts_with([':', ' ']));
    match (digits.and_then(|digits| digits.parse().ok()), rest) {
        (Some(status), Some(rest)) => (Some(status), rest.trim_start_matches([':', ' '])),
        _ => (None, words),
    }
}

fn number_after(text: &str, mark: &str) -> Option<u64> {
    let (_, rest) = text.split_once(mark)?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
