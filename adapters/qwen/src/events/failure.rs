//! Qwen Code's failures: its texts and hints as data for [`od_sdk::failure`].

use od_protocol::{ErrorEvent, ErrorKind};
use od_sdk::Exit;
use od_sdk::failure::extract::status_after;
use od_sdk::failure::{self, FailureReport, FailureRules, own_rule, rule};

use crate::native::ResultLine;

const RULES: FailureRules = FailureRules {
    vendor: "qwen",
    adapter_id: "qwen",
    unknown: "failed",
    names: &["Qwen", "API", "OpenAI"],
    texts: &[
        rule(&["No saved session found"], ErrorKind::SessionUnknown, ""),
        rule(&["is already in use"], ErrorKind::SessionBusy, ""),
        rule(
            &["No auth type is selected", "Missing API key", "Missing credentials"],
            ErrorKind::AuthMissing,
            "",
        ),
        rule(&["Unknown argument", "Invalid values"], ErrorKind::CliVersionUnsupported, ""),
        own_rule(
            &["max session turns", "error_max_turns"],
            "max_turns",
            "raise maxTurns, or resume the session",
        ),
    ],
    hints: &[
        (ErrorKind::AuthWrongAccount, "choose a model that the key may use, or run `qwen auth`"),
        (ErrorKind::ModelUnknown, "choose a model that the provider knows"),
        (ErrorKind::QuotaExhausted, "wait for the next period, or use another account"),
        (ErrorKind::RateLimited, "wait, then resume the session"),
        (ErrorKind::ContextExceeded, "start a new session, or shorten the prompt"),
        (ErrorKind::SessionUnknown, "resume a session that began in this folder"),
    ],
    login: "run `qwen auth`, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
    login_again: "check the key, or run `qwen auth`",
    base_url: "OPENAI_BASE_URL",
    install: "npm install -g @qwen-code/qwen-code",
    ..FailureRules::DEFAULT
};

/// A classified failure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failure(ErrorEvent);

impl Failure {
    /// `[API Error: 401 Incorrect API key provided]`: the HTTP status of the reply, if one came,
    /// and the provider's text.
    pub(super) fn classify(text: &str) -> Self {
        let text = text.trim_start_matches("[API Error: ").trim_end_matches(']');
        let status = status_after(text, &[""]);
        let unknown = if status.is_some() { "api_error" } else { RULES.unknown };
        let report = FailureReport { status, text, ..FailureReport::default() };
        Self(failure::classify_event(&report, &FailureRules { unknown, ..RULES }))
    }

    /// A turn that Qwen Code reports as failed.
    pub(super) fn of_result(result: &ResultLine) -> Self {
        let text = result.error.as_ref().map_or(result.subtype.as_str(), |error| &error.message);
        Self::of_text(text)
    }

    /// The model exceeded the limit on silence.
    pub(super) fn silence(silence_ms: u128) -> Self {
        let message = format!(
            "no output from the model for {silence_ms} ms: Qwen Code retries a refused request without reporting it"
        );
        let hint = "wait, then resume the session; a slow model gets more time with adapterOptions.maxSilenceMs";
        let event = ErrorEvent::fatal(ErrorKind::RateLimited, message).with_hint(hint);
        Self(ErrorEvent { retryable: true, ..event })
    }

    /// The CLI exited without a result: some errors are printed on stderr only.
    pub(super) fn from_exit(exit: &Exit) -> Option<Self> {
        let mut failures = exit.stderr_tail.lines().map(Self::of_text);
        failures.find(|failure| !matches!(failure.0.kind, ErrorKind::Vendor(_)))
    }

    /// Returns the error event; only the failure of the last turn is fatal.
    pub(super) fn event(&self, fatal: bool) -> ErrorEvent {
        ErrorEvent { fatal, ..self.0.clone() }
    }

    fn of_text(text: &str) -> Self {
        let report = FailureReport { text, ..FailureReport::default() };
        Self(failure::classify_event(&report, &RULES))
    }
}
