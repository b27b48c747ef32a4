//! OpenCode's failures: its error names, texts and hints as data for [`od_sdk::failure`].

use od_protocol::{Credential, ErrorEvent, ErrorKind, RateLimited};
use od_sdk::event;
use od_sdk::failure::{self, FailureReport, FailureRules, own_rule, rule};
use serde_json::Value;

use crate::native::NamedError;

/// The name of the error that a stopped run reports.
const ABORTED: &str = "MessageAbortedError";
/// The library that calls the model puts this before texts.
const LIBRARY_PREFIX: &str = "AI_APICallError: ";
const LOG_IN: &str = "log in to the model's provider: `opencode auth login`";

const RULES: FailureRules = FailureRules {
    vendor: "opencode",
    adapter_id: "opencode",
    unknown: "error",
    names: &["OpenCode"],
    codes: &[
        rule(&["ContextOverflowError"], ErrorKind::ContextExceeded, ""),
        rule(&["ProviderAuthError"], ErrorKind::AuthMissing, ""),
        own_rule(&["MessageOutputLengthError"], "max_output_tokens", "ask for less at once"),
        own_rule(
            &["ContentFilterError"],
            "refusal",
            "rephrase the prompt, or choose another model",
        ),
        own_rule(
            &["StructuredOutputError"],
            "output_schema_unmet",
            "simplify the output schema, or choose another model",
        ),
    ],
    hints: &[
        (ErrorKind::ModelUnknown, "`opencode models` lists the models: provider/model"),
        (ErrorKind::SessionUnknown, "`opencode session list` lists the sessions"),
        (ErrorKind::AuthWrongAccount, LOG_IN),
    ],
    login: LOG_IN,
    refused_suffix: ", or `opencode auth login`",
    base_url: "the provider's baseURL in opencode.json",
    ..FailureRules::DEFAULT
};

/// Whether the error only reports that the run was stopped.
pub fn is_abort(error: &NamedError) -> bool {
    error.name == ABORTED
}

/// Classifies an error by its name, its HTTP status and its text.
pub fn classify(error: &NamedError, credential: Option<&Credential>) -> ErrorEvent {
    let data = &error.data;
    let body = data.response_body.as_deref().unwrap_or_default();
    let report = FailureReport {
        status: data.status_code,
        codes: &[&error.name],
        text: &format!("{} {body}", data.message),
        credential,
    };
    let shown = FailureReport { text: without_stack(&data.message), ..report };
    let mut error = failure::classify(&report, &RULES).into_event(&shown, &RULES);
    failure::add_data(&mut error, "retryAfterMs", retry_after_ms(&data.response_headers));
    error
}

/// Classifies an error of which only the text is known: from a log, or through another protocol.
pub fn classify_text(text: &str, credential: Option<&Credential>) -> ErrorEvent {
    let text = without_stack(text.strip_prefix(LIBRARY_PREFIX).unwrap_or(text));
    let report = FailureReport { text, credential, ..FailureReport::default() };
    failure::classify_event(&report, &RULES)
}

/// The event that goes with an error of kind `rate_limited`.
pub fn rate_limited(failure: &ErrorEvent) -> Option<RateLimited> {
    if failure.kind != ErrorKind::RateLimited {
        return None;
    }
    let wait = failure.data.as_ref().and_then(|data| data.get("retryAfterMs")?.as_u64());
    Some(RateLimited { source: "provider".to_owned(), ..event::rate_limited(wait) })
}

/// Some texts carry a stack trace behind their first line.
fn without_stack(text: &str) -> &str {
    text.split("\n    at ").next().unwrap_or_default()
}

/// How long the provider asks to wait.
fn retry_after_ms(headers: &Value) -> Option<u64> {
    let number = |name: &str| headers.get(name)?.as_str()?.trim().parse::<f64>().ok();
    let millis = number("retry-after-ms").or_else(|| Some(number("retry-after")? * 1000.0))?;
    (millis >= 0.0).then_some(millis as u64)
}
