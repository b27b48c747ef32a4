//! Runs of the real agent CLI that are cancelled, refused or interrupted.

use std::time::Duration;

use super::scenario_context::ScenarioContext;
use super::scenarios::{completed, has_exact_text, shown, tool_prompt};
use crate::adapter_client::RunRecord;
use crate::outcome::{CheckOutcome, ensure};

/// The time limit of one step of a run.
const STEP_LIMIT: Duration = Duration::from_secs(45);

/// Cancels during the answer.
pub(super) fn in_stream(context: &mut ScenarioContext) -> CheckOutcome {
    let run_id = context.start("SCN:slow")?;
    context.adapter.wait_event(&run_id, STEP_LIMIT, "text_delta", |received| {
        received.type_name() == "text_delta"
    })?;
    cancelled(context, &run_id)
}

/// Cancels while a tool runs.
pub(super) fn in_tool(context: &mut ScenarioContext) -> CheckOutcome {
    let nonce = context.nonce();
    let prompt = tool_prompt(context, "sleep", &nonce, "never said");
    let run_id = context.start(&prompt)?;
    context.adapter.wait_event(&run_id, STEP_LIMIT, "tool_call_ready", |received| {
        received.type_name() == "tool_call_ready"
    })?;
    context.wait_process("sleep 60")?;
    cancelled(context, &run_id)
}

fn cancelled(context: &mut ScenarioContext, run_id: &str) -> CheckOutcome {
    let answer = context.adapter.cancel(run_id)?;
    ensure(answer.accepted, "run/cancel is accepted", || "accepted is false".to_owned())?;
    let record = context.finish(run_id)?;
    let status = status(&record);
    ensure(status == "cancelled", "done with the status cancelled", || shown(&record, &status))
}

/// The model refuses the key.
pub(super) fn unauthorized(context: &mut ScenarioContext) -> CheckOutcome {
    refused(context, "r401", &["auth_missing", "auth_expired"])
}

/// The model refuses because of a rate limit.
pub(super) fn rate_limited(context: &mut ScenarioContext) -> CheckOutcome {
    refused(context, "r429", &["rate_limited"])
}

/// The model refuses a text that is too long.
pub(super) fn context_exceeded(context: &mut ScenarioContext) -> CheckOutcome {
    refused(context, "ctx400", &["context_exceeded"])
}

fn refused(context: &mut ScenarioContext, scenario: &str, usual: &[&str]) -> CheckOutcome {
    let record = context.run_prompt(&format!("SCN:{scenario}"))?;
    failed_with(context, &record, usual)
}

/// The run failed with one of the usual error kinds, or with those of the pack.
fn failed_with(context: &ScenarioContext, record: &RunRecord, usual: &[&str]) -> CheckOutcome {
    let own: Vec<&str> = context.expectation.error_kinds.iter().map(String::as_str).collect();
    let kinds = if own.is_empty() { usual } else { &own };
    let kind = record.done().and_then(|done| done.error_kind).map(|kind| kind.to_string());
    let kind = kind.unwrap_or_default();
    let is_so = status(record) == "failed" && kinds.contains(&kind.as_str());
    ensure(is_so, format!("done failed with an error of {kinds:?}"), || shown(record, &kind))
}

/// The connection breaks during the answer. The agent CLI retries, unless the pack names the error
/// with which it fails: then the text so far is kept, once.
pub(super) fn dropped(context: &mut ScenarioContext) -> CheckOutcome {
    let text = format!("Said once and never twice: {}.", context.nonce());
    let prompt = format!("SCN:drop TEXT=<{text}>");
    if context.expectation.error_kinds.is_empty() {
        let record = context.run_prompt(&prompt)?;
        completed(&record)?;
        return has_exact_text(&record, &text);
    }
    let record = context.run_prompt(&prompt)?;
    failed_with(context, &record, &[])?;
    let received = record.text();
    ensure(text.starts_with(&received), format!("the beginning of {text:?}, once"), || {
        format!("{received:?}")
    })
}

fn status(record: &RunRecord) -> String {
    record.done().map(|done| done.status.to_string()).unwrap_or_default()
}
