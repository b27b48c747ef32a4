//! The outcome of a turn, from `is_error` and `terminal_reason` of its `result`. The subtype is
//! `success` for a refused key, and the exit code is 0 after an interrupt (recordings `r401`,
//! `sigint_slow`).

use od_protocol::{DoneEvidence, DoneStatus, StopReason};
use od_sdk::RunOutcome;

use super::failure::{CliError, Failure};
use super::limits::Limits;
use crate::native::ResultLine;

/// The failure of the turn; `None` if it succeeded or was interrupted.
pub(super) fn failure(
    result: &ResultLine,
    cli_error: Option<CliError>,
    limits: &Limits,
) -> Option<Failure> {
    if !result.is_error || is_aborted(result) {
        return None;
    }
    let mut cli_error = cli_error.unwrap_or_default();
    if cli_error.text.is_empty() {
        cli_error.text = match (&result.result, result.errors.is_empty()) {
            (Some(text), true) => text.clone(),
            _ => result.errors.join("; "),
        };
    }
    cli_error.status = result.api_error_status;
    cli_error.terminal_reason = match result.subtype.as_str() {
        "error_max_budget_usd" | "error_max_turns" => Some(result.subtype.clone()),
        _ => result.terminal_reason.clone(),
    };
    cli_error.stop_reason = cli_error.stop_reason.or_else(|| result.stop_reason.clone());
    Some(Failure::classify(&cli_error, limits))
}

/// The outcome of the run if this turn is the last one.
pub(super) fn run_outcome(
    result: &ResultLine,
    failure: Option<&Failure>,
    is_cancelling: bool,
) -> RunOutcome {
    match failure {
        _ if result.is_error && (is_cancelling || is_aborted(result)) => RunOutcome {
            status: DoneStatus::Cancelled,
            stop_reason: StopReason::Cancelled,
            evidence: DoneEvidence::NativeResult,
        },
        Some(failure) => failed(failure.stop_reason, DoneEvidence::NativeResult),
        None => RunOutcome { stop_reason: stop_reason(result), ..RunOutcome::COMPLETED },
    }
}

/// The outcome of a failed run.
pub(super) fn failed(stop_reason: StopReason, evidence: DoneEvidence) -> RunOutcome {
    RunOutcome { status: DoneStatus::Failed, stop_reason, evidence }
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
