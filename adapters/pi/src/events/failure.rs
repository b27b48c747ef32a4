//! Failures of Pi and omp: their texts and hints as data for [`od_sdk::failure`].

use od_protocol::{Credential, ErrorEvent, ErrorKind};
use od_sdk::Exit;
use od_sdk::failure::extract::{provider_error, status_after};
use od_sdk::failure::{self, FailureReport, FailureRules, Rule, rule};

use crate::Dialect;
use crate::native::Message;

/// Refused commands and lines of stderr.
const REFUSALS: &[Rule] = &[
    rule(
        &["No API key found", "No models available", "No model selected", "No model configured"],
        ErrorKind::AuthMissing,
        "",
    ),
    rule(&["Authentication failed for"], ErrorKind::AuthExpired, ""),
    rule(
        &["No session found", "Session found in different project", "Session \"*not found"],
        ErrorKind::SessionUnknown,
        "",
    ),
    rule(&["Model *not found"], ErrorKind::ModelUnknown, ""),
    rule(
        &["Unknown option", "Unknown flag", "Nonexistent flag"],
        ErrorKind::CliVersionUnsupported,
        "",
    ),
    // The interpreter is older than the CLI needs.
    rule(
        &["does not provide an export named", "Unsupported engine"],
        ErrorKind::CliSpawnFailed,
        "",
    ),
];

/// What the CLI reports about a failure.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CliError {
    /// The text for people.
    pub(super) text: String,
    /// The HTTP status of the provider's reply.
    pub(super) status: Option<u16>,
    /// How long to wait, where the text states it.
    pub(super) retry_after_ms: Option<u64>,
}

impl CliError {
    /// Parses the text of a failed message. pi writes `401: {json}`, omp `401 text`, and omp adds
    /// the provider's `retry-after-ms` to the text (recordings `r401`, `r429` of both).
    pub(super) fn new(text: &str, status: Option<u16>) -> Self {
        let (in_text, rest) = leading_status(text);
        let status = status.or(in_text);
        let provider = provider_error(rest).filter(|_| rest.starts_with('{'));
        let first_line = rest.lines().next().unwrap_or_default();
        let text = provider.as_ref().map_or(first_line, |error| error.message.as_str());
        let text = text.split(" retry-after-ms=").next().unwrap_or(text);
        let text = match (text, status) {
            ("", Some(status)) => format!("the provider answered with status {status}"),
            (text, _) => text.to_owned(),
        };
        let retry_after_ms = number_after(first_line, "retry-after-ms=");
        Self { text, status, retry_after_ms }
    }

    /// A message that failed.
    pub(super) fn of(message: &Message) -> Self {
        Self::new(message.error_message.as_deref().unwrap_or_default(), message.error_status)
    }

    /// The error kind.
    pub(super) fn kind(&self, dialect: &Dialect) -> ErrorKind {
        failure::classify(&self.report(None), &rules(dialect)).kind
    }

    /// The error event.
    pub(super) fn event(&self, dialect: &Dialect, credential: Option<&Credential>) -> ErrorEvent {
        let mut event = failure::classify_event(&self.report(credential), &rules(dialect));
        failure::add_data(&mut event, "retryAfterMs", self.retry_after_ms);
        event
    }

    fn report<'a>(&'a self, credential: Option<&'a Credential>) -> FailureReport<'a> {
        FailureReport { status: self.status, text: &self.text, credential, codes: &[] }
    }
}

/// Classifies a refused command or the last lines of stderr.
pub(super) fn refusal(text: &str, dialect: &Dialect) -> Option<ErrorEvent> {
    failure::classify_stderr(text, &rules(dialect))
}

/// The CLI ended without a result, and its stderr explains why.
pub(super) fn of_exit(exit: &Exit, dialect: &Dialect) -> Option<ErrorEvent> {
    refusal(&exit.stderr_tail, dialect)
}

fn rules(dialect: &Dialect) -> FailureRules {
    FailureRules {
        vendor: dialect.id,
        adapter_id: dialect.id,
        names: &["OpenAI", "Anthropic", "Google", "GitHub", "Node.js"],
        refusals: REFUSALS,
        hints: &[(
            ErrorKind::SessionUnknown,
            "a session is looked for in the folder it was started in: use its cwd, or start a new one",
        )],
        login: dialect.login_hint,
        base_url: "the provider's address",
        install: dialect.install_command,
        ..FailureRules::DEFAULT
    }
}

/// `401: rest` and `401 rest`.
fn leading_status(text: &str) -> (Option<u16>, &str) {
    let text = text.trim();
    let rest = text.get(3..).filter(|rest| rest.is_empty() || rest.starts_with([':', ' ']));
    match (status_after(text, &[""]), rest) {
        (Some(status), Some(rest)) => (Some(status), rest.trim_start_matches([':', ' '])),
        _ => (None, text),
    }
}

fn number_after(text: &str, mark: &str) -> Option<u64> {
    let (_, rest) = text.split_once(mark)?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
