//! Gemini CLI's failures: its texts, exit codes and hints as data for [`od_sdk::failure`].

use od_protocol::{Credential, ErrorEvent, ErrorKind};
use od_sdk::Exit;
use od_sdk::failure::extract::provider_error;
use od_sdk::failure::{self, FailureReport, FailureRules, own_rule, rule};

const RULES: FailureRules = FailureRules {
    vendor: "gemini",
    adapter_id: "gemini-cli",
    unknown_hint: "see the message; try again, or choose another model",
    names: &["Gemini"],
    // Exit codes, see `exit_name`.
    codes: &[
        rule(&["exit_41"], ErrorKind::AuthMissing, ""),
        rule(&["exit_42_session"], ErrorKind::SessionUnknown, ""),
        rule(&["exit_42"], ErrorKind::ConfigInvalid, "correct the option's value"),
        own_rule(&["exit_44"], "sandbox", "check the sandbox in Gemini CLI's settings"),
        rule(
            &["exit_52"],
            ErrorKind::ConfigInvalid,
            "correct Gemini CLI's settings: ~/.gemini/settings.json",
        ),
        own_rule(&["exit_53"], "max_turns", "raise model.maxSessionTurns in the settings"),
        rule(
            &["exit_55"],
            ErrorKind::PermissionDenied,
            "trust the folder: start `gemini` in it once",
        ),
        rule(&["exit_1_argument"], ErrorKind::CliVersionUnsupported, ""),
    ],
    texts: &[
        rule(
            &["daily quota", "quota exceeded for the day"],
            ErrorKind::QuotaExhausted,
            "wait for the reset, or use another model or account",
        ),
        // The provider uses "quota" for its limits per minute too.
        rule(
            &["exceeded your current quota", "Resource has been exhausted"],
            ErrorKind::RateLimited,
            "",
        ),
        rule(&["Invalid session identifier"], ErrorKind::SessionUnknown, ""),
        rule(&["API_KEY_INVALID"], ErrorKind::AuthExpired, ""),
    ],
    hints: &[(ErrorKind::AuthWrongAccount, "use an account that may use this model")],
    login: "start `gemini` once and choose how to log in, or set GEMINI_API_KEY",
    install: "npm install -g @google/gemini-cli",
    ..FailureRules::DEFAULT
};

/// Classifies a provider's error. The CLI reports status 500 in ACP where it knows none, so that
/// status is not shown.
pub fn classify(text: &str, status: Option<u16>, credential: Option<&Credential>) -> ErrorEvent {
    let (text, stated) = unwrap_text(text);
    let status = stated.or(status);
    let report = FailureReport { status, text: &text, credential, codes: &[] };
    let shown = FailureReport { status: status.filter(|status| *status != 500), ..report };
    failure::classify(&report, &RULES).into_event(&shown, &RULES)
}

/// Classifies the exit where the CLI reported nothing else. Errors of the provider become their
/// HTTP status modulo 256, so 145 is 401 and 173 is 429 (recordings `auth`, `maxattempts2`).
pub fn of_exit(exit: &Exit, credential: Option<&Credential>) -> Option<ErrorEvent> {
    let text = refusal_text(&exit.stderr_tail);
    let code = exit.code?;
    let report =
        FailureReport { text: &text, codes: &[&exit_name(code, &text)], ..Default::default() };
    let classification = failure::classify(&FailureReport { text: "", ..report }, &RULES);
    if classification.is_known {
        return Some(classification.into_event(&report, &RULES));
    }
    let status = u16::try_from(code).ok().map(|code| code + 256);
    let status = status.filter(|status| (400..512).contains(status))?;
    Some(classify(&text, Some(status), credential))
}

/// The name of an exit code in `RULES`.
fn exit_name(code: i32, text: &str) -> String {
    match code {
        42 if text.contains("session") => "exit_42_session".to_owned(),
        1 if text.starts_with("Unknown argument") => "exit_1_argument".to_owned(),
        code => format!("exit_{code}"),
    }
}

/// The text and status inside `[API Error: {"error":{…}}]`; only its first line is the provider's.
fn unwrap_text(text: &str) -> (String, Option<u16>) {
    let first = text.lines().next().unwrap_or_default().trim();
    let inner = first.strip_prefix("[API Error: ").unwrap_or(first);
    let inner = inner.strip_suffix(']').unwrap_or(inner);
    match provider_error(inner).filter(|_| inner.starts_with('{')) {
        Some(error) => (error.message, error.status),
        None => (inner.to_owned(), None),
    }
}

/// The first line of stderr that explains the exit, without what the CLI prints at every start.
fn refusal_text(stderr: &str) -> String {
    const NOISE: &[&str] = &[
        "Warning: ",
        "YOLO mode",
        "Ripgrep is not",
        "[STARTUP]",
        "Approval mode overridden",
        "    at ",
        "  Searched for",
        "  Use --list",
        // Its log repeats everything.
        "[2",
    ];
    let is_noise = |line: &&str| NOISE.iter().any(|start| line.starts_with(start));
    let mut lines = stderr.lines().filter(|line| !line.trim().is_empty() && !is_noise(line));
    lines.next().unwrap_or("it exited without an error message").trim().to_owned()
}
