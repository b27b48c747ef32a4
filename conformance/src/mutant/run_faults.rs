//! Faults that carry the usage of one run into another, or lose it.

use std::sync::{Mutex, PoisonError};

use od_protocol::{DoneStatus, Usage};

use super::fault::{Behaviour, Fault};

static LAST_USAGE: Mutex<Option<Usage>> = Mutex::new(None);

/// Returns the usage that is reported for a run; without a fault, its own.
pub(super) fn usage(
    behaviour: Behaviour,
    status: DoneStatus,
    usage: Option<Usage>,
) -> Option<Usage> {
    let is_lost = match status {
        DoneStatus::Cancelled => usage.is_some() && behaviour.has(Fault::CancelLosesUsage),
        DoneStatus::Failed => usage.is_some() && behaviour.has(Fault::CrashLosesUsage),
        _ => false,
    };
    if is_lost {
        return None;
    }
    let mut last = LAST_USAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let reported = match (usage, last.as_ref()) {
        (None, Some(before)) if behaviour.has(Fault::UsageOfLastRun) => Some(before.clone()),
        (Some(usage), Some(before)) if behaviour.has(Fault::AddsUsage) => Some(sum(usage, before)),
        (usage, _) => usage,
    };
    if reported.is_some() {
        last.clone_from(&reported);
    }
    reported
}

fn sum(usage: Usage, before: &Usage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens + before.input_tokens,
        output_tokens: usage.output_tokens + before.output_tokens,
        total_tokens: usage.total_tokens + before.input_tokens + before.output_tokens,
        ..usage
    }
}
