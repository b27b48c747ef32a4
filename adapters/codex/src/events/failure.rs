//! Codex's failures: its codes, texts and hints as data for [`od_sdk::failure`].

use od_protocol::{ErrorEvent, ErrorKind, StopReason};
use od_sdk::failure::extract::{provider_error, status_after};
use od_sdk::failure::{self, FailureReport, FailureRules, own_rule, rule};
use od_sdk::json_rpc::RpcError;
use serde_json::Value;

use super::limits::Limits;
use crate::native::TurnError;

/// Texts before an HTTP status (recordings `r401`, `r429`).
const STATUS_MARKS: &[&str] = &["unexpected status ", "last status: "];

const REFUSAL_HINT: &str = "rephrase the prompt, or choose another model";
const UPGRADE_HINT: &str =
    "npm install -g @openai/codex@latest, or set adapterOptions.mode to exec";

pub(super) const RULES: FailureRules = FailureRules {
    vendor: "codex",
    adapter_id: "codex",
    names: &["Codex"],
    // Values of `codexErrorInfo` and `data.type`. For other values, the status or the text decides.
    codes: &[
        rule(&["contextWindowExceeded"], ErrorKind::ContextExceeded, ""),
        rule(&["usageLimitExceeded", "sessionBudgetExceeded"], ErrorKind::QuotaExhausted, ""),
        rule(&["rateLimitExceeded", "rate_limit_exceeded"], ErrorKind::RateLimited, ""),
        rule(&["modelNotFound"], ErrorKind::ModelUnknown, ""),
        rule(&["unauthorized"], ErrorKind::AuthExpired, ""),
        rule(
            &[
                "serverOverloaded",
                "flexUnavailable",
                "policyCapacityUnavailable",
                "internalServerError",
            ],
            ErrorKind::NetworkUnreachable,
            "",
        ),
        rule(
            &["sandboxError"],
            ErrorKind::PermissionDenied,
            "choose another permissionMode; Codex needs bubblewrap or user namespaces for its sandbox",
        ),
        own_rule(&["cyberPolicy", "misalignmentPolicyViolation"], "refusal", REFUSAL_HINT),
        own_rule(
            &["tooManyDenials"],
            "too_many_denials",
            "allow the actions that the task needs, or change the prompt",
        ),
        rule(
            &["modelProviderNotConfigured"],
            ErrorKind::ConfigInvalid,
            "restore the provider in ~/.codex/config.toml, or start a new session",
        ),
    ],
    // Recordings `resume_bad`, `resume_nouuid`.
    texts: &[
        rule(
            &["no rollout found", "invalid session id", "thread not found"],
            ErrorKind::SessionUnknown,
            "",
        ),
        rule(
            &["Invalid request", "not initialized", "returned no thread id"],
            ErrorKind::CliVersionUnsupported,
            UPGRADE_HINT,
        ),
        rule(&["model: "], ErrorKind::ModelUnknown, ""),
        own_rule(&["max_output_tokens"], "max_output_tokens", "ask for a shorter answer"),
        own_rule(&["content_filter"], "refusal", REFUSAL_HINT),
        rule(
            &["Missing environment variable"],
            ErrorKind::AuthMissing,
            "set the variable that config.toml names in env_key",
        ),
    ],
    // Exec recordings `resume_bad`, `unknown_c`, `bad_cwd`, `noprompt`.
    refusals: &[
        rule(&["no rollout found", "No saved session found"], ErrorKind::SessionUnknown, ""),
        rule(
            &["error: unexpected argument", "unrecognized subcommand"],
            ErrorKind::CliVersionUnsupported,
            "",
        ),
        rule(
            &["Error loading config.toml", "Error: model_providers"],
            ErrorKind::ConfigInvalid,
            "correct ~/.codex/config.toml; `codex doctor` checks it",
        ),
        rule(&["No prompt provided"], ErrorKind::ConfigInvalid, "pass a prompt"),
    ],
    hints: &[
        (
            ErrorKind::RateLimited,
            "wait, then start the run again; with adapterOptions.maxRetries, Codex waits and retries",
        ),
        (ErrorKind::SessionUnknown, "`sessions/list` lists the sessions of this machine"),
        (
            ErrorKind::AuthWrongAccount,
            "choose another model, or log in to an account with access to it: `codex login`",
        ),
    ],
    login: "run `codex login`, or set CODEX_API_KEY",
    login_again: "log in again: `codex login`",
    base_url: "the base_url in ~/.codex/config.toml",
    install: "npm install -g @openai/codex",
    ..FailureRules::DEFAULT
};

/// A classified failure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure(ErrorEvent);

impl Failure {
    /// Classifies the error of a turn.
    pub(crate) fn of_turn(error: &TurnError, limits: &Limits) -> Self {
        let provider = provider_error(&error.message);
        let code = provider.as_ref().and_then(|provider| provider.code.as_deref());
        let codes = [error.code().unwrap_or_default(), code.unwrap_or_default()];
        let report = FailureReport {
            status: error.http_status().or_else(|| status_after(&error.message, STATUS_MARKS)),
            codes: &codes,
            text: provider.as_ref().map_or(&error.message, |provider| &provider.message),
            credential: limits.credential.as_ref(),
        };
        Self::classify(&report, limits)
    }

    /// Classifies an error of `exec --json`, which is a text only.
    pub(crate) fn of_text(text: &str, limits: &Limits) -> Self {
        Self::of_turn(&TurnError { message: text.to_owned(), ..TurnError::default() }, limits)
    }

    /// Classifies the error of a reply.
    pub(crate) fn of_refusal(error: &RpcError, limits: &Limits) -> Self {
        let code = error.data.get("type").and_then(Value::as_str).unwrap_or_default();
        let credential = limits.credential.as_ref();
        let report =
            FailureReport { codes: &[code], text: &error.message, credential, status: None };
        Self::classify(&report, limits)
    }

    fn classify(report: &FailureReport<'_>, limits: &Limits) -> Self {
        let mut classification = failure::classify(report, &RULES);
        if classification.kind == ErrorKind::AuthExpired && report.credential.is_none() {
            classification = RULES.classification(ErrorKind::AuthMissing, report);
        }
        let mut event = classification.into_event(report, &RULES);
        if failure::is_limit(&event.kind) {
            failure::add_data(&mut event, "resetsAt", limits.resets_at());
        }
        Self(event)
    }

    /// Whether a rate limit or a quota was exceeded.
    pub(crate) fn is_rate_limit(&self) -> bool {
        failure::is_limit(&self.0.kind)
    }

    /// The stop reason of the turn.
    pub(crate) fn stop_reason(&self) -> StopReason {
        failure::stop_reason(&self.0.kind)
    }

    /// Returns the event; only the failure of the last turn is fatal.
    pub(crate) fn into_event(self, fatal: bool) -> ErrorEvent {
        ErrorEvent { fatal, ..self.0 }
    }
}
