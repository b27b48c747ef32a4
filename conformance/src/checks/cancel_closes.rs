//! CAN: what a cancelled run has reported and closes, whenever the cancel arrives.

use std::time::Duration;

use od_protocol::StopReason;
use od_protocol::adapter::CancelRunParams;

use super::AdapterCheck;
use super::cancellation::{STOP_TIMEOUT, cancelled, prepare_hanging, start_and_wait_for_output};
use super::expectations::{line_with, output_steps, plain_answer, same_text, still_answers};
use super::prompts::prompt_delivery;
use crate::adapter_client::{AdapterClient, RunRecord};
use crate::check::{Gate, active};
use crate::context::CheckContext;
use crate::fake_cli::{Script, StdinMode, Step};
use crate::outcome::{CheckOutcome, Finding};
use crate::pack::PromptDelivery;
use crate::prepared_run::PreparedRun;
use crate::script_variants::cut_after;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "CAN-07",
    "a cancelled run keeps its text, thoughts and usage, closes what is open, has the stop reason \
     cancelled, and can be cancelled before any output and while its prompt is written",
    "users cancel at any moment and want to read what the agent has done so far",
    Gate::cli_scenario("text"),
    closes_what_is_open,
)];

/// The timeout for the event after which the run is cancelled.
const EVENT_TIMEOUT: Duration = Duration::from_secs(6);
/// How long the suite waits for something that must not happen.
const QUIET_WINDOW: Duration = Duration::from_millis(400);
/// More than any pipe buffers.
const LARGE_PROMPT_BYTES: usize = 2 << 20;
const GATE: &str = "usage-printed";

fn closes_what_is_open(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    message(context)?;
    tool_call(context)?;
    thought(context)?;
    usage(context)?;
    before_output(context)?;
    while_writing(context)
}

fn message(context: &mut CheckContext) -> CheckOutcome {
    let prepared = prepare_hanging(context, &[])?;
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let sent = "run/cancel inside a message";
    let record = stop(&mut adapter, &prepared, sent)?;
    if context.suite.declares("textDeltas") {
        let text = printed(&prepared.script, &prepared.values.deltas);
        same_text(&record, &text, sent)?;
    }
    let is_closed = |id: &serde_json::Value| {
        let mut ends = record.of_type("message_stopped").chain(record.of_type("message_discarded"));
        ends.any(|end| end.value["messageId"] == *id)
    };
    let open = record
        .of_type("message_started")
        .map(|started| &started.value["messageId"])
        .find(|id| !is_closed(id));
    let expected = "message_stopped for every message_started";
    record.ensure(open.is_none(), expected, format!("{open:?} is open"), sent)
}

fn tool_call(context: &mut CheckContext) -> CheckOutcome {
    if !context.suite.has_scenario("tool_ok") || !context.suite.declares("tools") {
        return Ok(());
    }
    let mut prepared = context.prepare("tool_ok")?;
    let output = line_with(&prepared.script, &prepared.values.text("tool_output"))?;
    prepared.script = cut_before(&prepared.script, output, &[Step::Hang]);
    let mut adapter = context.launch()?;
    let sent = "run/cancel inside a tool call";
    if !begin_until(&mut adapter, &prepared, "tool_call_started")? {
        return Ok(());
    }
    let record = stop(&mut adapter, &prepared, sent)?;
    for started in record.of_type("tool_call_started") {
        let id = &started.value["toolCallId"];
        let results: Vec<&serde_json::Value> = record
            .of_type("tool_result")
            .filter(|result| result.value["toolCallId"] == *id)
            .map(|result| &result.value["status"])
            .collect();
        let is_cancelled = results.len() == 1 && results[0] == "cancelled";
        let expected = format!("one tool_result of {id} with status cancelled");
        record.ensure(is_cancelled, expected, format!("the statuses {results:?}"), sent)?;
    }
    Ok(())
}

fn thought(context: &mut CheckContext) -> CheckOutcome {
    if !context.suite.has_scenario("thinking") || !context.suite.declares("thinking") {
        return Ok(());
    }
    let mut prepared = context.prepare("thinking")?;
    let first = prepared.values.thinking_deltas[0].clone();
    let line = line_with(&prepared.script, first.trim_end())?;
    prepared.script = cut_before(&prepared.script, line + 1, &[Step::Hang]);
    let mut adapter = context.launch()?;
    let sent = "run/cancel inside a thought";
    if !begin_until(&mut adapter, &prepared, "thinking_delta")? {
        return Ok(());
    }
    let record = stop(&mut adapter, &prepared, sent)?;
    let expected = printed(&prepared.script, &prepared.values.thinking_deltas);
    let is_kept = expected.starts_with(&record.thinking()) && !record.thinking().is_empty();
    let got = format!("the thought {:?}", record.thinking());
    record.ensure(is_kept, format!("the thought {expected:?}"), got, sent)?;
    let count = |name: &str| record.of_type(name).count();
    let is_closed = count("thinking_started") == count("thinking_stopped");
    record.ensure(is_closed, "every thought is stopped", record.summary(), sent)
}

/// The agent CLI has reported its usage, and not its end.
fn usage(context: &mut CheckContext) -> CheckOutcome {
    if !context.suite.has_scenario("usage") || !context.suite.declares("usage") {
        return Ok(());
    }
    let mut prepared = context.prepare("usage")?;
    let tokens = prepared.values.text("output_tokens");
    let Ok(line) = line_with(&prepared.script, &tokens) else { return Ok(()) };
    if output_steps(&prepared.script, line + 1).is_empty() {
        // The final message contains the usage.
        return Ok(());
    }
    let ending = [Step::Gate { name: GATE.to_owned() }, Step::Hang];
    prepared.script = cut_before(&prepared.script, line + 1, &ending);
    let mut adapter = context.launch()?;
    adapter.begin(&prepared)?;
    let (is_printed, _) = adapter.fake_cli.wait_until(adapter.limit(EVENT_TIMEOUT), |starts| {
        starts.iter().any(|start| start.gates.iter().any(|gate| gate == GATE))
    });
    if !is_printed {
        return Ok(());
    }
    adapter.listen(QUIET_WINDOW);
    let sent = "run/cancel after the agent CLI has reported its usage";
    let record = stop(&mut adapter, &prepared, sent)?;
    let is_reported = record.of_type("usage").next().is_some();
    record.ensure(is_reported, "a `usage` event", record.summary(), sent)
}

fn before_output(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    prepared.script = cut_after(&prepared.script, 0, &[Step::Hang]);
    let mut adapter = context.launch()?;
    adapter.begin(&prepared)?;
    let sent = "run/cancel directly after run/start";
    let record = stop(&mut adapter, &prepared, sent)?;
    let is_first = record.events.first().is_some_and(|it| it.type_name() == "run_started");
    record.ensure(is_first, "run_started is the first event", record.summary(), sent)?;
    let starts = adapter.fake_cli.starts().len();
    adapter.listen(QUIET_WINDOW);
    let later = adapter.fake_cli.starts().len() - starts;
    let got = format!("{later} further start(s)");
    record.ensure(later == 0, "the agent CLI is not started after `done`", got, sent)
}

fn while_writing(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    let is_server = prepared.script.steps.iter().any(|it| matches!(it, Step::Listen { .. }));
    let is_argument = prompt_delivery(context) == PromptDelivery::Argv;
    if is_server || is_argument || prepared.script.terminal {
        return Ok(());
    }
    prepared.script.steps = vec![Step::Hang];
    prepared.script.stdin = StdinMode::Ignore;
    prepared.request.prompt.text = "a long prompt ".repeat(LARGE_PROMPT_BYTES / 14);
    let mut adapter = context.launch()?;
    adapter.begin(&prepared)?;
    adapter.listen(QUIET_WINDOW);
    let sent = "run/cancel; the agent CLI does not read its stdin, and the prompt has 2 MiB";
    still_answers(&mut adapter, sent)?;
    stop(&mut adapter, &prepared, sent).map(drop)
}

/// Returns the pieces that the lines of the script contain.
fn printed(script: &Script, pieces: &[String]) -> String {
    let is_printed = |piece: &&String| line_with(script, piece.trim_end()).is_ok();
    pieces.iter().filter(is_printed).map(String::as_str).collect()
}

/// Keeps the steps before this one and appends another ending.
fn cut_before(script: &Script, step: usize, ending: &[Step]) -> Script {
    let steps = [&script.steps[..step], ending].concat();
    Script { steps, ..script.clone() }
}

/// Starts a run and waits for an event; false if the adapter does not send it before the end.
fn begin_until(
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    event: &str,
) -> Result<bool, Finding> {
    adapter.begin(prepared)?;
    let waited = adapter.wait_event(prepared.run_id(), EVENT_TIMEOUT, event, |received| {
        received.type_name() == event
    });
    match waited {
        Ok(_) => Ok(true),
        Err(Finding::Fail(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Cancels a run and waits for its end, which must be that of a cancelled run.
fn stop(
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    sent: &str,
) -> Result<RunRecord, Finding> {
    let run_id = prepared.run_id().to_owned();
    adapter.call(&CancelRunParams { run_id, grace_ms: Some(300), reason: None })?;
    let record = adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
    cancelled(&record, sent)?;
    let reason = record.done().map(|done| done.stop_reason);
    let is_cancelled = reason == Some(StopReason::Cancelled);
    record.ensure(is_cancelled, "stopReason cancelled", format!("{reason:?}"), sent)?;
    let alive = adapter.fake_cli.processes();
    let expected = "no process of the run is alive at `done`";
    record.ensure(alive.is_empty(), expected, format!("processes {alive:?}"), sent)?;
    Ok(record)
}
