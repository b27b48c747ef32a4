//! TMO: the values of time limits, and which limit ended a run.

use std::time::Duration;

use od_protocol::{DoneStatus, ErrorKind, Timeouts};

use super::AdapterCheck;
use super::cancellation::prepare_hanging;
use super::expectations::{describe_end, exact_answer, line_with, plain_answer};
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::{CheckContext, execute_on};
use crate::fake_cli::{Script, Step};
use crate::outcome::CheckOutcome;
use crate::prepared_run::PreparedRun;
use crate::script_variants::cut_after;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "TMO-04",
    "a limit of 0 means no limit, the largest integer is accepted, and the fatal error of a \
     timed_out run names the limit in `data.which`",
    "a host sends 0 to let an agent work overnight, and shows users which limit to raise",
    Gate::cli_scenario("text"),
    limits_are_exact,
)];

/// The largest integer of the protocol.
const MAX_INTEGER: u64 = (1 << 53) - 1;
/// How long the agent CLI is silent before and within its output.
const SILENCE_MS: u64 = 1_500;
/// The limit that ends a run.
const LIMIT_MS: u64 = 700;
/// The timeout from the limit to the end of the run: grace periods and a reserve.
const END_TIMEOUT: Duration = Duration::from_secs(6);

fn limits_are_exact(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    for (limit_ms, silence_ms) in [(0, SILENCE_MS), (MAX_INTEGER, 50)] {
        let mut prepared = context.prepare("text")?;
        let last = prepared.values.deltas.last().cloned().unwrap_or_default();
        add_silence(&mut prepared.script, last.trim_end(), silence_ms)?;
        let limit = Some(limit_ms);
        prepared.request.timeouts = Timeouts { start_ms: limit, idle_ms: limit, total_ms: limit };
        let mut adapter = context.launch()?;
        let completed_run = execute_on(&mut adapter, prepared)?;
        let sent = format!(
            "run/start with startMs, idleMs and totalMs {limit_ms}; the agent CLI is silent for \
             {silence_ms} ms before its first and its last output"
        );
        exact_answer(&completed_run, &sent)?;
    }
    let mut adapter = context.launch()?;
    let mut silent = context.prepare("text")?;
    silent.script = cut_after(&silent.script, 0, &[Step::Hang]);
    silent.request.timeouts = Timeouts { start_ms: Some(LIMIT_MS), ..Timeouts::default() };
    names_limit(&mut adapter, &silent, "start")?;
    let mut idle = prepare_hanging(context, &[])?;
    idle.request.timeouts = Timeouts { idle_ms: Some(LIMIT_MS), ..Timeouts::default() };
    names_limit(&mut adapter, &idle, "idle")?;
    let mut total = prepare_hanging(context, &[])?;
    total.request.timeouts = Timeouts { total_ms: Some(LIMIT_MS), ..Timeouts::default() };
    names_limit(&mut adapter, &total, "total")
}

/// Adds a pause before the first line and before the line with this text.
fn add_silence(script: &mut Script, text: &str, ms: u64) -> CheckOutcome {
    let last = line_with(script, text)?;
    let first = script.steps.iter().position(|step| matches!(step, Step::Out { .. }));
    script.steps.insert(last, Step::Sleep { ms });
    script.steps.insert(first.unwrap_or(0), Step::Sleep { ms });
    Ok(())
}

fn names_limit(adapter: &mut AdapterClient, prepared: &PreparedRun, which: &str) -> CheckOutcome {
    let sent = format!("run/start with {which}Ms {LIMIT_MS}; the agent CLI does not finish");
    adapter.begin(prepared)?;
    let record = adapter.finish(prepared.run_id(), END_TIMEOUT)?;
    let done = record.done();
    let is_timed_out = done.is_some_and(|done| {
        done.status == DoneStatus::TimedOut && done.error_kind == Some(ErrorKind::Timeout)
    });
    let expected = "`done` with status timed_out and errorKind timeout";
    record.ensure(is_timed_out, expected, describe_end(&record), &sent)?;
    let fatal = record.of_type("error").find(|error| error.value["fatal"] == true);
    let error = fatal.map(|error| error.value.clone()).unwrap_or_default();
    let is_named = error["kind"] == "timeout" && error["data"]["which"] == which;
    let expected = format!("a fatal error of kind timeout with data.which {which:?}");
    record.ensure(is_named, expected, error.to_string(), &sent)
}
