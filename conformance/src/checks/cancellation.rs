//! CAN: stopping a run, and everything it started.

use std::time::Duration;

use od_protocol::DoneStatus;
use od_protocol::adapter::{CANCEL_RUN, CancelRunParams, CancelRunResult};
use rand::RngExt;
use serde_json::json;

use super::AdapterCheck;
use super::expectations::{PerTier, describe_end, line_with, output_steps, still_answers};
use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::check::{Gate, active};
use crate::context::CheckContext;
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding, ensure, needs_process_inspection};
use crate::prepared_run::PreparedRun;
use crate::process;
use crate::script_variants::cut_after;

/// The grace period of `run/cancel`.
const GRACE_PERIOD: Duration = Duration::from_millis(300);
/// The timeout of the whole stop: grace period, one second after SIGTERM, and a reserve.
pub(super) const STOP_TIMEOUT: Duration = Duration::from_secs(5);
const FIRST_OUTPUT_TIMEOUT: Duration = Duration::from_secs(5);
/// How many times a cancel races with the end of a run.
const RACES: PerTier = PerTier { brief: 6, fast: 12, full: 50, slow: 500 };

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "CAN-01",
        "an agent CLI that ignores SIGINT, SIGTERM and SIGHUP is killed, and the run ends as \
         cancelled",
        "a user who presses stop expects the run to stop",
        Gate::cli_scenario("text"),
        cli_ignores_signals,
    ),
    active(
        "CAN-02",
        "an agent CLI that shuts down gracefully can still send its last output",
        "killing an agent CLI at once often damages its session and loses its usage data",
        Gate::scenario("cancel"),
        cli_stops_gracefully,
    ),
    active(
        "CAN-03",
        "at `done` no process of the run is alive, not even one that left the session and cleared \
         its environment",
        "a tool that keeps running changes files without the user's knowledge",
        Gate::cli_scenario("text"),
        no_process_survives,
    ),
    active(
        "CAN-04",
        "a second cancel is not an error; a cancel of a finished or unknown run is not accepted \
         and is not an error",
        "two users, or one impatient user, press stop twice",
        Gate::scenario("cancel"),
        repeated_cancel,
    ),
    active(
        "CAN-05",
        "a cancel that races with the end of the run still results in exactly one `done`",
        "users often press stop at the moment the answer completes",
        Gate::cli_scenario("text"),
        cancel_races_with_end,
    ),
];

fn cli_ignores_signals(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.script.ignore_polite_stops();
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let sent = "run/cancel; the agent CLI ignores SIGINT, SIGTERM and SIGHUP";
    let record = stopped(&mut adapter, &prepared, sent)?;
    ensure(adapter.fake_cli.processes().is_empty(), "the agent CLI has ended at `done`", || {
        format!("processes {:?} are alive", adapter.fake_cli.processes())
    })?;
    cancelled(&record, sent)
}

fn cli_stops_gracefully(context: &mut CheckContext) -> CheckOutcome {
    let prepared = context.prepare("cancel")?;
    let has_cli = context.suite.has_cli();
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    adapter.cancel(prepared.run_id())?;
    let sent = "run/cancel of the scenario cancel";
    let record = adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
    cancelled(&record, sent)?;
    if !has_cli {
        return Ok(());
    }
    let ended = adapter.fake_cli.starts().last().is_some_and(|invocation| invocation.ended);
    if !ended {
        let expected = "the agent CLI receives a stop signal and can finish by itself";
        return Err(record.failure(expected, "it was killed before that", sent));
    }
    let last_output = prepared.values.text("second_text");
    let prints_it = prepared
        .script
        .handlers
        .iter()
        .flat_map(|handler| &handler.steps)
        .any(|step| matches!(step, Step::Out { text, .. } if text.contains(&last_output)));
    if prints_it && !record.text().contains(&last_output) {
        let expected = format!("its last output {last_output:?} arrives");
        return Err(record.failure(expected, format!("the text {:?}", record.text()), sent));
    }
    Ok(())
}

fn no_process_survives(context: &mut CheckContext) -> CheckOutcome {
    needs_process_inspection()?;
    let mut adapter = context.launch()?;
    let prepared = prepare_hanging(context, &[Step::Spawn])?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    has_child(&adapter)?;
    let sent = "run/cancel; the agent CLI had started a process in its own session";
    stopped(&mut adapter, &prepared, sent)?;
    no_process_left_alive(&adapter, sent)?;

    let mut prepared = context.prepare("text")?;
    let last = output_steps(&prepared.script, 0).last().copied().unwrap_or(0);
    prepared.script.steps.insert(last, Step::Spawn);
    adapter.begin(&prepared)?;
    adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
    no_process_left_alive(
        &adapter,
        "run/start; the agent CLI left a process behind and reported that it is done",
    )
}

fn repeated_cancel(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let prepared = context.prepare("cancel")?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    cancel_twice(&mut adapter, prepared.run_id())?;
    let record = adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
    cancelled(&record, "run/cancel, twice")?;
    let unknown = format!("run-{}", context.nonce());
    for (run_id, what) in [(prepared.run_id(), "has ended"), (&unknown, "is unknown")] {
        let result = cancel(&mut adapter, run_id)?;
        ensure(!result.accepted, format!("accepted is false for a run that {what}"), || {
            "accepted is true".to_owned()
        })?;
    }
    Ok(())
}

fn cancel_races_with_end(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    for round in 0..RACES.of(context) {
        let prepared = context.prepare("text")?;
        let last_output = prepared.values.text("text").trim_end().to_owned();
        let jitter = Duration::from_micros(context.random().random_range(0..4000));
        adapter.begin(&prepared)?;
        adapter.wait_event(
            prepared.run_id(),
            FIRST_OUTPUT_TIMEOUT,
            "the last output",
            |received| {
                let text = received.value["text"].as_str().unwrap_or_default().trim_end();
                let is_last = text.ends_with(&last_output) || last_output.ends_with(text);
                received.type_name() == "done" || (is_last && !text.is_empty())
            },
        )?;
        adapter.listen(jitter);
        cancel(&mut adapter, prepared.run_id())?;
        let sent = format!("run/cancel {jitter:?} after the last output, round {round}");
        let record = adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
        let status = record.done().map(|done| done.status);
        if !matches!(status, Some(DoneStatus::Completed | DoneStatus::Cancelled)) {
            let expected = "`done` with status completed or cancelled";
            return Err(record.failure(expected, describe_end(&record), &sent));
        }
        still_answers(&mut adapter, &sent)?;
    }
    Ok(())
}

/// Prepares a run that prints its first output, performs the steps and then hangs.
pub(super) fn prepare_hanging(
    context: &mut CheckContext,
    then: &[Step],
) -> Result<PreparedRun, Finding> {
    let mut prepared = context.prepare("text")?;
    let first_output = line_with(&prepared.script, prepared.values.deltas[0].trim_end())?;
    let lines =
        output_steps(&prepared.script, 0).iter().filter(|index| **index <= first_output).count();
    let ending = [then, &[Step::Hang]].concat();
    prepared.script = cut_after(&prepared.script, lines, &ending);
    Ok(prepared)
}

/// Starts a run and waits for the first output of the agent CLI, or for any event if the adapter
/// emits text only at the end.
pub(super) fn start_and_wait_for_output(
    context: &CheckContext,
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
) -> CheckOutcome {
    adapter.begin(prepared)?;
    let has_deltas = context.suite.declares("textDeltas");
    let wanted = "the first output of the agent";
    adapter.wait_event(
        prepared.run_id(),
        FIRST_OUTPUT_TIMEOUT,
        wanted,
        |received| match received.type_name() {
            "text_delta" | "thinking_delta" | "tool_call_started" => true,
            "run_started" | "heartbeat" => false,
            _ => !has_deltas,
        },
    )?;
    Ok(())
}

fn cancel(adapter: &mut AdapterClient, run_id: &str) -> Result<CancelRunResult, Finding> {
    let grace_ms = u64::try_from(GRACE_PERIOD.as_millis()).ok();
    adapter.call(&CancelRunParams { run_id: run_id.to_owned(), grace_ms, reason: None })
}

/// Sends both requests before the first one can end the run.
fn cancel_twice(adapter: &mut AdapterClient, run_id: &str) -> CheckOutcome {
    let params = json!({"runId": run_id, "graceMs": GRACE_PERIOD.as_millis() as u64});
    let ids = [(); 2].map(|()| adapter.ask(CANCEL_RUN.name, params.clone()));
    for (id, is_first) in ids.iter().zip([true, false]) {
        let (expected, got) = match adapter.answer(id, CANCEL_RUN.limit())? {
            Answer::Result(value) if !is_first || value["accepted"] == true => continue,
            other if is_first => ("the first run/cancel is accepted", other.summary()),
            other => ("the second run/cancel is not an error", other.summary()),
        };
        return Err(adapter.failure(expected, got, "run/cancel, twice"));
    }
    Ok(())
}

/// Cancels a run and waits for `done`.
fn stopped(
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    sent: &str,
) -> Result<RunRecord, Finding> {
    let result = cancel(adapter, prepared.run_id())?;
    ensure(result.accepted, "run/cancel is accepted", || "accepted is false".to_owned())?;
    if adapter.wait_done(prepared.run_id(), STOP_TIMEOUT) {
        return Ok(adapter.run(prepared.run_id()));
    }
    let record = adapter.run(prepared.run_id());
    let expected = format!("`done` within {STOP_TIMEOUT:?}");
    Err(record.failure(expected, describe_end(&record), sent))
}

pub(super) fn cancelled(record: &RunRecord, sent: &str) -> CheckOutcome {
    let status = record.done().map(|done| done.status);
    if status == Some(DoneStatus::Cancelled) {
        return Ok(());
    }
    Err(record.failure("`done` with status cancelled", describe_end(record), sent))
}

/// Fails unless the fake CLI has started its detached process.
fn has_child(adapter: &AdapterClient) -> CheckOutcome {
    let (is_running, _) = adapter.fake_cli.wait_until(FIRST_OUTPUT_TIMEOUT, |invocations| {
        invocations.iter().any(|invocation| !invocation.children.is_empty())
    });
    match is_running {
        true => Ok(()),
        false => Err(Finding::Suite("the fake CLI did not start its detached process".to_owned())),
    }
}

/// Fails if a process of the fake CLI is alive.
fn no_process_left_alive(adapter: &AdapterClient, sent: &str) -> CheckOutcome {
    let children = adapter.fake_cli.starts().into_iter().flat_map(|start| start.children);
    let alive: Vec<u32> = children
        .chain(adapter.fake_cli.processes())
        .filter(|pid| process::is_alive(*pid))
        .collect();
    let got = format!("processes {alive:?} are alive");
    adapter.ensure(alive.is_empty(), "no process of the run is alive at `done`", got, sent)
}
