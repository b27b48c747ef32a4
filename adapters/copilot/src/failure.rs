//! Copilot CLI's failures: its texts and hints as data for [`od_sdk::failure`].

use od_protocol::{ErrorEvent, ErrorKind};
use od_sdk::Exit;
use od_sdk::failure::extract::status_after;
use od_sdk::failure::{self, FailureReport, FailureRules, rule};

use crate::native::CliError;

const RULES: FailureRules = FailureRules {
    vendor: "copilot",
    adapter_id: "copilot",
    unknown: "failed",
    names: &["Copilot", "GitHub"],
    texts: &[
        rule(&["No authentication information found"], ErrorKind::AuthMissing, ""),
        rule(
            &["token found but could not be validated"],
            ErrorKind::NetworkUnreachable,
            "check the connection to GitHub, then try again",
        ),
        rule(&["No session, task, or name matched"], ErrorKind::SessionUnknown, ""),
        rule(&["unexpected argument", "invalid value"], ErrorKind::CliVersionUnsupported, ""),
    ],
    hints: &[
        (ErrorKind::QuotaExhausted, "wait for the next period, or choose another model or plan"),
        (ErrorKind::AuthWrongAccount, "use an account whose plan includes Copilot and the model"),
        (ErrorKind::RateLimited, "wait, then resume the session"),
        (ErrorKind::ContextExceeded, "start a new session, or shorten the prompt"),
        (ErrorKind::SessionUnknown, "resume a session that this machine knows"),
    ],
    login: "run `copilot login`, or set COPILOT_GITHUB_TOKEN",
    login_again: "run `copilot login`, or check COPILOT_PROVIDER_API_KEY",
    base_url: "COPILOT_PROVIDER_BASE_URL",
    install: "npm install -g @github/copilot",
    ..FailureRules::DEFAULT
};

/// Classifies `session.error`.
pub fn of_cli_error(cli_error: &CliError) -> ErrorEvent {
    let report = FailureReport {
        status: cli_error.status_code.or_else(|| status_in(&cli_error.message)),
        codes: &[&cli_error.error_type],
        text: &cli_error.message,
        credential: None,
    };
    failure::classify_event(&report, &RULES)
}

/// Classifies a text of the CLI, with the HTTP status where it is known.
pub fn classify(text: &str, status: Option<u16>) -> ErrorEvent {
    let report = FailureReport { status, text, ..FailureReport::default() };
    failure::classify_event(&report, &RULES)
}

/// The error of a run that exceeds its retries.
pub fn retries_exceeded(retries: u32, status: u16) -> ErrorEvent {
    classify(&format!("stopped at retry {retries} after a rate limit"), Some(status))
}

/// The error of a failed exit without an error message.
pub fn failed_exit(exit_code: i32) -> ErrorEvent {
    classify(&format!("Copilot failed with exit code {exit_code} without an error message"), None)
}

/// The CLI exited without its last line: some errors are printed on stderr only.
pub fn of_exit(exit: &Exit) -> Option<ErrorEvent> {
    let mut lines = exit.stderr_tail.lines();
    let is_known = |line: &&str| {
        failure::classify(&FailureReport { text: line, ..FailureReport::default() }, &RULES)
            .is_known
    };
    Some(classify(lines.find(is_known)?, None))
}

/// The HTTP status in `… (HTTP 401) …` and `Last error: 429 …`.
pub fn status_in(text: &str) -> Option<u16> {
    status_after(text, &["(HTTP ", "Last error: "])
}
