//! Runs of the real agent CLI that are stopped, refused or cut.

use std::time::Duration;

use super::scenarios::{completed, says_exactly, shown, tool_prompt};
use super::stage::Stage;
use crate::plugin::RunRecord;
use crate::verdict::{Verdict, ensure};

/// How long something that the agent does on its way may take.
const STEP_LIMIT: Duration = Duration::from_secs(45);

/// Cancels while the answer comes in.
pub(super) fn in_stream(stage: &mut Stage) -> Verdict {
    let run_id = stage.start("SCN:slow")?;
    stage.plugin.wait_event(&run_id, STEP_LIMIT, "text_delta", |received| {
        received.type_name() == "text_delta"
    })?;
    cancelled(stage, &run_id)
}

/// Cancels while a tool runs.
pub(super) fn in_tool(stage: &mut Stage) -> Verdict {
    let nonce = stage.nonce();
    let prompt = tool_prompt(stage, "sleep", &nonce, "never said");
    let run_id = stage.start(&prompt)?;
    stage.plugin.wait_event(&run_id, STEP_LIMIT, "tool_call_ready", |received| {
        received.type_name() == "tool_call_ready"
    })?;
    stage.wait_process("sleep 60")?;
    cancelled(stage, &run_id)
}

fn cancelled(stage: &mut Stage, run_id: &str) -> Verdict {
    let answer = stage.plugin.cancel(run_id)?;
    ensure(answer.accepted, "run/cancel is accepted", || "accepted is false".to_owned())?;
    let record = stage.finish(run_id)?;
    let status = status(&record);
    ensure(status == "cancelled", "done with the status cancelled", || shown(&record, &status))
}

/// The model refuses the key.
pub(super) fn unauthorized(stage: &mut Stage) -> Verdict {
    refused(stage, "r401", &["auth_missing", "auth_expired"])
}

/// The model refuses because of a limit.
pub(super) fn rate_limited(stage: &mut Stage) -> Verdict {
    refused(stage, "r429", &["rate_limited"])
}

/// The model refuses a text that is too long.
pub(super) fn context_exceeded(stage: &mut Stage) -> Verdict {
    refused(stage, "ctx400", &["context_exceeded"])
}

fn refused(stage: &mut Stage, scenario: &str, usual: &[&str]) -> Verdict {
    let record = stage.play(&format!("SCN:{scenario}"))?;
    failed_with(stage, &record, usual)
}

/// The run failed with one of the usual kinds of error, or of those that the pack names instead.
fn failed_with(stage: &Stage, record: &RunRecord, usual: &[&str]) -> Verdict {
    let own: Vec<&str> = stage.expectation.error_kinds.iter().map(String::as_str).collect();
    let kinds = if own.is_empty() { usual } else { &own };
    let kind = record.done().and_then(|done| done.error_kind).map(|kind| kind.to_string());
    let kind = kind.unwrap_or_default();
    let is_so = status(record) == "failed" && kinds.contains(&kind.as_str());
    ensure(is_so, format!("done failed with an error of {kinds:?}"), || shown(record, &kind))
}

/// The connection is cut in the middle; the agent CLI asks again, unless the pack names the error
/// with which it gives up: then what was said before is kept, once.
pub(super) fn dropped(stage: &mut Stage) -> Verdict {
    let text = format!("Said once and never twice: {}.", stage.nonce());
    let prompt = format!("SCN:drop TEXT=<{text}>");
    if stage.expectation.error_kinds.is_empty() {
        let record = stage.play(&prompt)?;
        completed(&record)?;
        return says_exactly(&record, &text);
    }
    let record = stage.play(&prompt)?;
    failed_with(stage, &record, &[])?;
    let said = record.text();
    ensure(text.starts_with(&said), format!("the beginning of {text:?}, once"), || {
        format!("{said:?}")
    })
}

fn status(record: &RunRecord) -> String {
    record.done().map(|done| done.status.to_string()).unwrap_or_default()
}
