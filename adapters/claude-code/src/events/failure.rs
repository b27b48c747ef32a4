//! What went wrong, in the protocol's words: from the CLI's synthetic messages, from its results,
//! from its stderr when it said nothing else.

use od_protocol::{CredentialKind, ErrorEvent, ErrorKind, JsonObject, StopReason};
use od_sdk::Exit;
use od_sdk::failure::{self, context_exceeded, quota_exhausted, slow_down};
use od_sdk::stream_json::{Message, blocks};
use od_sdk::wording::error_text;

use super::limits::Limits;

/// A message that begins with one of these keeps its capital.
const NAMES: &[&str] = &["Claude"];

/// What the CLI says about a failure.
#[derive(Debug, Default, Clone)]
pub(super) struct Complaint {
    /// The word in `assistant.error` or `api_retry.error`.
    pub(super) word: String,
    /// The text for people.
    pub(super) text: String,
    /// The HTTP status, when an answer came.
    pub(super) status: Option<u16>,
    /// `result.terminal_reason`, or its subtype where that says more.
    pub(super) terminal_reason: Option<String>,
    /// The model's stop reason.
    pub(super) stop_reason: Option<String>,
}

impl Complaint {
    /// A message the CLI wrote in the model's place.
    pub(super) fn from_message(word: &str, message: Message) -> Self {
        let texts: Vec<String> =
            blocks(message.content).into_iter().map(|block| block.text).collect();
        Self {
            word: word.to_owned(),
            text: texts.join("\n"),
            stop_reason: message.stop_reason,
            ..Self::default()
        }
    }

    fn says(&self, words: &str) -> bool {
        self.text.contains(words)
    }

    /// The HTTP status; versions before 2.1.100 or so state it only at the start of the text.
    fn http_status(&self) -> Option<u16> {
        let in_text = || self.text.strip_prefix("API Error: ")?.split(' ').next()?.parse().ok();
        self.status.or_else(in_text)
    }

    /// The word; where it says nothing, what the status says.
    fn meaning(&self) -> &str {
        match (self.word.as_str(), self.http_status()) {
            ("unknown" | "", Some(401 | 403)) => "authentication_failed",
            ("unknown" | "", Some(429)) => "rate_limit",
            ("unknown" | "", Some(500..=599)) => "server_error",
            ("unknown", None) => "server_error",
            (word, _) => word,
        }
    }
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failure {
    event: ErrorEvent,
    /// Why the model stopped.
    pub(super) stop_reason: StopReason,
}

impl Failure {
    /// Gives a complaint its kind and its hint.
    pub(super) fn judge(complaint: &Complaint, limits: &Limits) -> Self {
        let (kind, hint) = match complaint.terminal_reason.as_deref() {
            Some("prompt_too_long") => context_exceeded(),
            Some("max_turns" | "error_max_turns") => {
                (vendor("max_turns"), "raise maxTurns, or resume the session to go on".to_owned())
            }
            Some("error_max_budget_usd") => {
                (vendor("max_budget"), "raise adapterOptions.maxBudgetUsd".to_owned())
            }
            _ if complaint.stop_reason.as_deref() == Some("refusal") => {
                (vendor("refusal"), "rephrase the prompt, or choose another model".to_owned())
            }
            _ => by_word(complaint, limits),
        };
        let data = data(&kind, complaint, limits);
        Self {
            stop_reason: stop_reason(&kind),
            event: failure::event(kind, error_text(&complaint.text, NAMES), &hint, data),
        }
    }

    /// The CLI ended without a result: some refusals are only on stderr.
    pub(super) fn from_exit(exit: &Exit) -> Option<Self> {
        let mut lines = exit.stderr_tail.lines();
        let (line, (kind, hint)) = lines.find_map(|line| Some((line, refusal(line)?)))?;
        Some(Self {
            event: failure::event(kind, error_text(line, NAMES), &hint, JsonObject::new()),
            stop_reason: StopReason::Error,
        })
    }

    /// As an event; only the failure of the last turn is fatal.
    pub(super) fn into_event(self, fatal: bool) -> ErrorEvent {
        ErrorEvent { fatal, ..self.event }
    }
}

/// What is known besides: how long to wait, and the HTTP status.
fn data(kind: &ErrorKind, complaint: &Complaint, limits: &Limits) -> JsonObject {
    let mut data = failure::status_data(complaint.http_status());
    if matches!(kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted) {
        if let Some(wait) = limits.retry_after_ms() {
            data.insert("retryAfterMs".to_owned(), wait.into());
        }
        if let Some(resets_at) = limits.resets_at {
            data.insert("resetsAt".to_owned(), resets_at.into());
        }
    }
    data
}

/// A line of stderr by which the CLI refuses to start.
fn refusal(line: &str) -> Option<(ErrorKind, String)> {
    let says = |words: &str| line.contains(words);
    let (kind, hint) = if says("No conversation found") {
        return Some(session_unknown());
    } else if says("is already in use") {
        (ErrorKind::SessionBusy, "choose another session id, or resume the session")
    } else if says("cannot be used with root/sudo") {
        let hint = "run as another user, or set IS_SANDBOX=1 in the run's env where the machine is a sandbox";
        (ErrorKind::PermissionDenied, hint)
    } else if says("error: unknown option") {
        let hint = "install the tested version: npm install -g @anthropic-ai/claude-code";
        (ErrorKind::CliVersionUnsupported, hint)
    } else if says("Invalid session ID") || says("is invalid. Allowed") {
        (ErrorKind::ConfigInvalid, "correct the option's value")
    } else {
        return None;
    };
    Some((kind, hint.to_owned()))
}

fn by_word(complaint: &Complaint, limits: &Limits) -> (ErrorKind, String) {
    match complaint.meaning() {
        "authentication_failed" | "oauth_org_not_allowed" => login(complaint, limits),
        "billing_error" => quota_exhausted(),
        "rate_limit" if limits.is_window_exhausted || is_quota(complaint) => quota_exhausted(),
        "rate_limit" => slow_down(),
        "model_not_found" => {
            let hint = "choose one of `od-host models -a claude-code`";
            (ErrorKind::ModelUnknown, hint.to_owned())
        }
        "server_error" | "overloaded" => {
            let hint = "try again; check the connection and ANTHROPIC_BASE_URL";
            (ErrorKind::NetworkUnreachable, hint.to_owned())
        }
        "max_output_tokens" => {
            let hint =
                "ask for less at once, or set CLAUDE_CODE_MAX_OUTPUT_TOKENS in the run's env";
            (vendor("max_output_tokens"), hint.to_owned())
        }
        _ if complaint.says("No conversation found") => session_unknown(),
        _ if complaint.says("Prompt is too long") => context_exceeded(),
        _ => (vendor("api_error"), String::new()),
    }
}

fn login(complaint: &Complaint, limits: &Limits) -> (ErrorKind, String) {
    if complaint.says("Not logged in") {
        let hint = "run `claude auth login`, or set ANTHROPIC_API_KEY";
        return (ErrorKind::AuthMissing, hint.to_owned());
    }
    if complaint.http_status() == Some(403) {
        let hint =
            "choose another model, or log in to an account that may use it: `claude auth login`";
        return (ErrorKind::AuthWrongAccount, hint.to_owned());
    }
    let hint = match &limits.credential {
        Some(credential) if credential.kind == CredentialKind::Subscription => {
            "log in again: `claude auth login`".to_owned()
        }
        Some(credential) => format!("{} was refused: set a valid one", credential.name),
        None => "log in again: `claude auth login`, or set a valid ANTHROPIC_API_KEY".to_owned(),
    };
    (ErrorKind::AuthExpired, hint)
}

/// A 429 may mean "slow down" or "nothing is left"; only the text tells (recordings `quota`,
/// `r429_oauth`).
fn is_quota(complaint: &Complaint) -> bool {
    complaint.says("quota")
        || complaint.says("limit reached")
        || complaint.says("hit your")
        || (complaint.says("usage limit") && !complaint.says("not your usage limit"))
}

fn session_unknown() -> (ErrorKind, String) {
    let hint = "a session can be resumed only from the folder it was started in: use its cwd, or start a new one";
    (ErrorKind::SessionUnknown, hint.to_owned())
}

fn vendor(word: &str) -> ErrorKind {
    ErrorKind::Vendor(format!("_claude.{word}"))
}

fn stop_reason(kind: &ErrorKind) -> StopReason {
    match kind.as_str() {
        "_claude.max_turns" => StopReason::MaxTurnRequests,
        "_claude.max_output_tokens" => StopReason::MaxTokens,
        "_claude.refusal" => StopReason::Refusal,
        _ => StopReason::Error,
    }
}
