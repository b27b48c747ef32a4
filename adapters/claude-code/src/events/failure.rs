//! Claude Code's failures: its codes, texts and hints as data for [`od_sdk::failure`].

use od_protocol::{ErrorEvent, ErrorKind, StopReason};
use od_sdk::Exit;
use od_sdk::failure::extract::status_after;
use od_sdk::failure::{self, FailureReport, FailureRules, own_rule, rule};
use od_sdk::stream_json::{Message, blocks};

use super::limits::Limits;

/// The adapter's code for an exhausted window of the subscription; the CLI's code is `rate_limit`.
const WINDOW_EXHAUSTED: &str = "window_exhausted";

const RULES: FailureRules = FailureRules {
    vendor: "claude",
    adapter_id: "claude-code",
    names: &["Claude"],
    codes: &[
        rule(&["prompt_too_long"], ErrorKind::ContextExceeded, ""),
        own_rule(
            &["max_turns", "error_max_turns"],
            "max_turns",
            "raise maxTurns, or resume the session to continue",
        ),
        own_rule(&["error_max_budget_usd"], "max_budget", "raise adapterOptions.maxBudgetUsd"),
        own_rule(&["refusal"], "refusal", "rephrase the prompt, or choose another model"),
        own_rule(
            &["max_output_tokens"],
            "max_output_tokens",
            "ask for less at once, or set CLAUDE_CODE_MAX_OUTPUT_TOKENS in the run's env",
        ),
        rule(&["billing_error", WINDOW_EXHAUSTED], ErrorKind::QuotaExhausted, ""),
    ],
    texts: &[
        rule(&["No conversation found"], ErrorKind::SessionUnknown, ""),
        rule(&["Not logged in"], ErrorKind::AuthMissing, ""),
        // Status 429 is a rate limit or an exhausted quota; only the text differs (recordings
        // `quota`, `r429_oauth`).
        rule(&["not your usage limit"], ErrorKind::RateLimited, ""),
        rule(&["limit reached", "hit your"], ErrorKind::QuotaExhausted, ""),
    ],
    refusals: &[
        rule(&["No conversation found"], ErrorKind::SessionUnknown, ""),
        rule(&["is already in use"], ErrorKind::SessionBusy, ""),
        rule(
            &["cannot be used with root/sudo"],
            ErrorKind::PermissionDenied,
            "run as another user, or set IS_SANDBOX=1 in the run's env where the machine is a sandbox",
        ),
        rule(&["error: unknown option"], ErrorKind::CliVersionUnsupported, ""),
        rule(
            &["Invalid session ID", "is invalid. Allowed"],
            ErrorKind::ConfigInvalid,
            "correct the option's value",
        ),
    ],
    hints: &[(
        ErrorKind::AuthWrongAccount,
        "choose another model, or log in to an account that may use it: `claude auth login`",
    )],
    login: "run `claude auth login`, or set ANTHROPIC_API_KEY",
    base_url: "ANTHROPIC_BASE_URL",
    install: "npm install -g @anthropic-ai/claude-code",
    ..FailureRules::DEFAULT
};

/// What the CLI reports about a failure.
#[derive(Debug, Default, Clone)]
pub(super) struct CliError {
    /// `assistant.error` or `api_retry.error`.
    pub(super) code: String,
    /// The text for users.
    pub(super) text: String,
    /// The HTTP status of the provider's reply.
    pub(super) status: Option<u16>,
    /// `result.terminal_reason`, or its subtype where that is more precise.
    pub(super) terminal_reason: Option<String>,
    /// The model's stop reason.
    pub(super) stop_reason: Option<String>,
}

impl CliError {
    /// A message that the CLI wrote in place of the model.
    pub(super) fn from_message(code: &str, message: Message) -> Self {
        let texts: Vec<String> =
            blocks(message.content).into_iter().map(|block| block.text).collect();
        Self {
            code: code.to_owned(),
            text: texts.join("\n"),
            stop_reason: message.stop_reason,
            ..Self::default()
        }
    }

    /// The HTTP status; in older versions, such as 2.1.76, it is only at the start of the text.
    fn http_status(&self) -> Option<u16> {
        self.status.or_else(|| status_after(self.text.strip_prefix("API Error: ")?, &[""]))
    }

    /// The codes, the most precise one first. `unknown` without a status means that the provider
    /// did not answer.
    fn codes(&self, limits: &Limits) -> [&str; 3] {
        let code = match (self.code.as_str(), self.http_status()) {
            ("rate_limit", _) if limits.is_window_exhausted => WINDOW_EXHAUSTED,
            ("" | "unknown", Some(429)) if limits.is_window_exhausted => WINDOW_EXHAUSTED,
            ("unknown", None) => "server_error",
            (code, _) => code,
        };
        let refusal = self.stop_reason.as_deref().filter(|reason| *reason == "refusal");
        [self.terminal_reason.as_deref().unwrap_or_default(), refusal.unwrap_or_default(), code]
    }
}

/// A classified failure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failure {
    event: ErrorEvent,
    /// Why the model stopped.
    pub(super) stop_reason: StopReason,
}

impl Failure {
    pub(super) fn classify(cli_error: &CliError, limits: &Limits) -> Self {
        let codes = cli_error.codes(limits);
        let report = FailureReport {
            status: cli_error.http_status(),
            codes: &codes,
            text: &cli_error.text,
            credential: limits.credential.as_ref(),
        };
        let is_logged_out = limits.credential.is_none();
        let rules = FailureRules {
            login_again: match is_logged_out {
                true => "log in again: `claude auth login`, or set a valid ANTHROPIC_API_KEY",
                false => "log in again: `claude auth login`",
            },
            ..RULES
        };
        let mut event = failure::classify_event(&report, &rules);
        if failure::is_limit(&event.kind) {
            failure::add_data(&mut event, "retryAfterMs", limits.retry_after_ms());
            failure::add_data(&mut event, "resetsAt", limits.resets_at);
        }
        Self { stop_reason: failure::stop_reason(&event.kind), event }
    }

    /// Classifies an exit without a result: some errors are only on stderr.
    pub(super) fn from_exit(exit: &Exit) -> Option<Self> {
        let event = failure::classify_stderr(&exit.stderr_tail, &RULES)?;
        Some(Self { event, stop_reason: StopReason::Error })
    }

    /// Returns the event; only the failure of the last turn is fatal.
    pub(super) fn into_event(self, fatal: bool) -> ErrorEvent {
        ErrorEvent { fatal, ..self.event }
    }
}
