//! The verdict at a `result`: by `is_error` and `terminal_reason`. The subtype says `success` for
//! a refused key, and the exit code says 0 for an interrupt (recordings `r401`, `sigint_slow`).

use od_protocol::{DoneEvidence, DoneStatus, StopReason};
use od_sdk::Ending;

use super::failure::{Complaint, Failure};
use super::limits::Limits;
use crate::native::ResultLine;

/// What failed, unless nothing did or the turn was interrupted.
pub(super) fn failure(
    result: &ResultLine,
    complaint: Option<Complaint>,
    limits: &Limits,
) -> Option<Failure> {
    if !result.is_error || is_aborted(result) {
        return None;
    }
    let mut complaint = complaint.unwrap_or_default();
    if complaint.text.is_empty() {
        complaint.text = match (&result.result, result.errors.is_empty()) {
            (Some(text), true) => text.clone(),
            _ => result.errors.join("; "),
        };
    }
    complaint.status = result.api_error_status;
    complaint.terminal_reason = match result.subtype.as_str() {
        "error_max_budget_usd" | "error_max_turns" => Some(result.subtype.clone()),
        _ => result.terminal_reason.clone(),
    };
    complaint.stop_reason = complaint.stop_reason.or_else(|| result.stop_reason.clone());
    Some(Failure::judge(&complaint, limits))
}

/// How the turn, and with the last turn the run, ended.
pub(super) fn ending(
    result: &ResultLine,
    failure: Option<&Failure>,
    is_cancelling: bool,
) -> Ending {
    match failure {
        _ if result.is_error && (is_cancelling || is_aborted(result)) => Ending {
            status: DoneStatus::Cancelled,
            stop_reason: StopReason::Cancelled,
            evidence: DoneEvidence::NativeResult,
        },
        Some(failure) => failed(failure.stop_reason, DoneEvidence::NativeResult),
        None => Ending { stop_reason: stop_reason(result), ..Ending::COMPLETED },
    }
}

/// It failed.
pub(super) fn failed(stop_reason: StopReason, evidence: DoneEvidence) -> Ending {
    Ending { status: DoneStatus::Failed, stop_reason, evidence }
}

fn is_aborted(result: &ResultLine) -> bool {
    result.terminal_reason.as_deref().is_some_and(|reason| reason.starts_with("aborted"))
}

fn stop_reason(result: &ResultLine) -> StopReason {
    match result.stop_reason.as_deref() {
        Some("max_tokens") => StopReason::MaxTokens,
        Some("refusal") => StopReason::Refusal,
        _ => StopReason::EndTurn,
    }
}
