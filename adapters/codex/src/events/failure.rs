//! What went wrong, in the protocol's words: by the CLI's word, by the HTTP status, by the provider's
//! own code, and where there is nothing else by the text.

mod texts;

use od_protocol::{CredentialKind, ErrorEvent, ErrorKind, JsonObject, StopReason};
use od_sdk::failure;
use od_sdk::json_rpc::RpcError;
use od_sdk::wording::error_text;

use super::limits::Limits;
use crate::native::TurnError;
pub(super) use texts::refusal_at_start;
use texts::{http_status_in, provider_error};

/// Names that stay as they are at the start of a text.
const NAMES: &[&str] = &["Codex"];

/// What went wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure(ErrorEvent);

/// A kind and what to do about it.
pub(super) type Judgement = (ErrorKind, &'static str);

impl Failure {
    /// Why a turn failed.
    pub(crate) fn of_turn(error: &TurnError, limits: &Limits) -> Self {
        let provider = provider_error(&error.message);
        let message = provider.as_ref().map_or(error.message.as_str(), |it| it.message.as_str());
        let status = error.http_status().or_else(|| http_status_in(&error.message));
        let code = provider.as_ref().and_then(|provider| provider.code.as_deref());
        let judged = by_word(error.word())
            .or_else(|| code.and_then(texts::by_code))
            .or_else(|| status.and_then(by_status))
            .or_else(|| texts::by_text(message));
        Self::new(judged, message, status, limits)
    }

    /// Why a failure of `exec --json` happened, which is a text only.
    pub(crate) fn of_text(text: &str, limits: &Limits) -> Self {
        Self::of_turn(&TurnError { message: text.to_owned(), ..TurnError::default() }, limits)
    }

    /// Why a request was refused.
    pub(crate) fn of_refusal(error: &RpcError, limits: &Limits) -> Self {
        let judged = texts::by_refusal(error).or_else(|| texts::by_text(&error.message));
        Self::new(judged, &error.message, None, limits)
    }

    /// A refusal that is only on stderr.
    pub(super) fn of_start(line: &str, (kind, hint): Judgement) -> Self {
        Self(failure::event(kind, error_text(line, NAMES), hint, JsonObject::new()))
    }

    fn new(judged: Option<Judgement>, message: &str, status: Option<u16>, limits: &Limits) -> Self {
        let (kind, hint) = judged.unwrap_or((vendor("api_error"), ""));
        let (kind, hint) = match kind {
            ErrorKind::AuthExpired => login(limits),
            kind => (kind, hint.to_owned()),
        };
        let mut data = failure::status_data(status);
        if let Some(resets_at) = limits.resets_at().filter(|_| is_rate_limit(&kind)) {
            data.insert("resetsAt".to_owned(), resets_at.into());
        }
        Self(failure::event(kind, error_text(message, NAMES), &hint, data))
    }

    /// The provider asks to slow down, or nothing is left.
    pub(crate) fn is_rate_limit(&self) -> bool {
        is_rate_limit(&self.0.kind)
    }

    /// Why the model stopped.
    pub(crate) fn stop_reason(&self) -> StopReason {
        match self.0.kind.as_str() {
            "_codex.max_output_tokens" => StopReason::MaxTokens,
            "_codex.refusal" => StopReason::Refusal,
            _ => StopReason::Error,
        }
    }

    /// As an event; only the failure of the last turn is fatal.
    pub(crate) fn into_event(self, fatal: bool) -> ErrorEvent {
        ErrorEvent { fatal, ..self.0 }
    }
}

fn is_rate_limit(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted)
}

/// The words of `codexErrorInfo` that say enough; the others come with a status or a text.
fn by_word(word: Option<&str>) -> Option<Judgement> {
    Some(match word? {
        "contextWindowExceeded" => texts::context_exceeded(),
        "usageLimitExceeded" | "sessionBudgetExceeded" => texts::quota_exhausted(),
        "rateLimitExceeded" => texts::rate_limited(),
        "modelNotFound" => texts::model_unknown(),
        "unauthorized" => (ErrorKind::AuthExpired, ""),
        "serverOverloaded"
        | "flexUnavailable"
        | "policyCapacityUnavailable"
        | "internalServerError" => texts::unreachable_model(),
        "sandboxError" => (
            ErrorKind::PermissionDenied,
            "choose another permissionMode; Codex needs bubblewrap or user namespaces for its sandbox",
        ),
        "cyberPolicy" | "misalignmentPolicyViolation" => texts::refusal(),
        "tooManyDenials" => {
            (vendor("too_many_denials"), "allow what the task needs, or change the prompt")
        }
        _ => return None,
    })
}

fn by_status(status: u16) -> Option<Judgement> {
    Some(match status {
        401 => (ErrorKind::AuthExpired, ""),
        403 => (
            ErrorKind::AuthWrongAccount,
            "choose another model, or log in to an account that may use it: `codex login`",
        ),
        404 => texts::model_unknown(),
        429 => texts::rate_limited(),
        500..=599 => texts::unreachable_model(),
        _ => return None,
    })
}

fn login(limits: &Limits) -> (ErrorKind, String) {
    match &limits.credential {
        None => {
            let hint = "run `codex login`, or set CODEX_API_KEY";
            (ErrorKind::AuthMissing, hint.to_owned())
        }
        Some(credential) if credential.kind == CredentialKind::Subscription => {
            (ErrorKind::AuthExpired, "log in again: `codex login`".to_owned())
        }
        Some(credential) => {
            let hint = format!("{} was refused: set a valid one", credential.name);
            (ErrorKind::AuthExpired, hint)
        }
    }
}

/// A kind of this CLI's own.
pub(super) fn vendor(word: &str) -> ErrorKind {
    ErrorKind::Vendor(format!("_codex.{word}"))
}
