//! CAN: the times of a stop.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use od_protocol::adapter::{CancelRunParams, CancelRunResult};

use super::AdapterCheck;
use super::cancellation::{STOP_TIMEOUT, cancelled, prepare_hanging, start_and_wait_for_output};
use super::expectations::plain_answer;
use crate::adapter_client::{AdapterClient, RunRecord};
use crate::check::{Gate, active};
use crate::context::CheckContext;
use crate::fake_cli::{Handler, Script, Step, When};
use crate::outcome::{CheckOutcome, Failure, Finding, skip_if};

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "CAN-06",
    "SIGTERM follows `graceMs` after `run/cancel` (2000 if absent, 0 means immediately) and SIGKILL \
     one second later, neither earlier; a second cancel does not delay them",
    "an agent CLI that is killed too early loses its session, and one that is not keeps working",
    Gate::cli_scenario("text"),
    grace_is_kept,
)];

/// Longer than the default grace period.
const SLOW_STOP_MS: u64 = 2_600;
const LONG_GRACE_MS: u64 = 6_000;
const DEFAULT_GRACE_MS: u64 = 2_000;
/// The time between SIGTERM and SIGKILL.
const TERMINATION_MS: u64 = 1_000;
/// The tolerance for clocks of different processes.
const CLOCK_TOLERANCE_MS: u64 = 50;
/// Immediately, with a reserve that is shorter than the default grace period.
const IMMEDIATE: Duration = Duration::from_millis(1_700);
const IMMEDIATE_ATTEMPTS: usize = 3;

fn grace_is_kept(context: &mut CheckContext) -> CheckOutcome {
    skip_if(cfg!(windows), "there are no signals on Windows")?;
    plain_answer(context)?;
    slow_stop(context)?;
    terminated_after(context, Some(1_200))?;
    terminated_after(context, None)?;
    terminated_at_once(context)?;
    time_after_termination(context)?;
    second_cancel(context)
}

/// The agent CLI needs longer than the default grace period to stop.
fn slow_stop(context: &mut CheckContext) -> CheckOutcome {
    if !context.suite.has_scenario("cancel") {
        return Ok(());
    }
    let mut prepared = context.prepare("cancel")?;
    if !delay_stops(&mut prepared.script) {
        return Ok(());
    }
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    cancel(&mut adapter, prepared.run_id(), Some(LONG_GRACE_MS))?;
    let limit = Duration::from_millis(LONG_GRACE_MS) + STOP_TIMEOUT;
    let record = adapter.finish(prepared.run_id(), limit)?;
    let sent = format!(
        "run/cancel with graceMs {LONG_GRACE_MS}; the agent CLI stops after {SLOW_STOP_MS} ms"
    );
    cancelled(&record, &sent)?;
    let has_ended = adapter.fake_cli.starts().last().is_some_and(|start| start.ended);
    record.ensure(has_ended, "the agent CLI stops by itself", "it was stopped earlier", &sent)
}

/// Adds a pause to every handler that stops the agent CLI; false if there is none.
fn delay_stops(script: &mut Script) -> bool {
    let ends = |step: &Step| matches!(step, Step::Exit { .. } | Step::Die { .. });
    let prints = |step: &Step| matches!(step, Step::Out { .. });
    let mut is_delayed = false;
    for handler in &mut script.handlers {
        let stops = match &handler.when {
            When::Signal(name) => name == "SIGINT",
            When::Stdin(_) => handler.steps.iter().any(ends),
            When::Request(_) => {
                let streams = handler.steps.iter().any(|it| matches!(it, Step::Stream { .. }));
                handler.steps.iter().any(|step| ends(step) || prints(step)) && !streams
            }
        };
        if stops {
            handler.steps.insert(0, Step::Sleep { ms: SLOW_STOP_MS });
            is_delayed = true;
        }
    }
    is_delayed
}

/// The agent CLI ignores every request to stop.
fn terminated_after(context: &mut CheckContext, grace_ms: Option<u64>) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.script.ignore_polite_stops();
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let (at_ms, at) = (now_ms(), Instant::now());
    cancel(&mut adapter, prepared.run_id(), grace_ms)?;
    let grace = grace_ms.unwrap_or(DEFAULT_GRACE_MS);
    let record = adapter.finish(prepared.run_id(), Duration::from_millis(grace) + STOP_TIMEOUT)?;
    let sent = format!("run/cancel with graceMs {grace_ms:?}; the agent CLI ignores signals");
    cancelled(&record, &sent)?;
    let Some(terminated_ms) = termination(&adapter) else {
        let expected = format!("SIGTERM after {grace} ms");
        return Err(record.failure(expected, "the agent CLI got no SIGTERM", &sent));
    };
    let waited = terminated_ms.saturating_sub(at_ms);
    let is_late_enough = waited + CLOCK_TOLERANCE_MS >= grace;
    let got = format!("SIGTERM after {waited} ms");
    record.ensure(is_late_enough, format!("SIGTERM not before {grace} ms"), got, &sent)?;
    let killed_after = grace + TERMINATION_MS;
    let took = record.events.last().map_or(Duration::ZERO, |done| done.at - at);
    let is_late_enough =
        took + Duration::from_millis(CLOCK_TOLERANCE_MS) >= Duration::from_millis(killed_after);
    let expected = format!("the agent CLI is not killed before {killed_after} ms");
    record.ensure(is_late_enough, expected, format!("`done` after {took:.1?}"), &sent)
}

/// A busy machine can delay a signal, so the fastest of some attempts counts.
fn terminated_at_once(context: &mut CheckContext) -> CheckOutcome {
    let sent = "run/cancel with graceMs 0; the agent CLI ignores signals";
    let mut fastest = Duration::MAX;
    for _ in 0..IMMEDIATE_ATTEMPTS {
        let mut prepared = prepare_hanging(context, &[])?;
        prepared.script.ignore_polite_stops();
        let mut adapter = context.launch()?;
        start_and_wait_for_output(context, &mut adapter, &prepared)?;
        let at_ms = now_ms();
        cancel(&mut adapter, prepared.run_id(), Some(0))?;
        let record = adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
        cancelled(&record, sent)?;
        let waited = termination(&adapter).map_or(0, |at| at.saturating_sub(at_ms));
        fastest = fastest.min(Duration::from_millis(waited));
        if fastest <= IMMEDIATE {
            return Ok(());
        }
    }
    let expected = format!("SIGTERM within {IMMEDIATE:?} in one of {IMMEDIATE_ATTEMPTS} attempts");
    Err(Failure::new(expected, format!("after {fastest:?} at the earliest")).sent(sent).into())
}

/// The agent CLI cleans up after SIGTERM.
fn time_after_termination(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.script.ignore_polite_stops();
    prepared.script.ignored_signals.retain(|name| name != "SIGTERM");
    let file = Path::new(&prepared.request.cwd).join("cleaned-up");
    let path = file.to_string_lossy().into_owned();
    let steps = vec![
        Step::Sleep { ms: 300 },
        Step::WriteFile { path, contents: "yes".to_owned() },
        Step::Exit { code: 0 },
    ];
    prepared.script.handlers.push(Handler { when: When::Signal("SIGTERM".to_owned()), steps });
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    cancel(&mut adapter, prepared.run_id(), Some(200))?;
    let record = adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
    let sent = "run/cancel with graceMs 200; the agent CLI needs 300 ms after SIGTERM";
    cancelled(&record, sent)?;
    record.ensure(file.exists(), "it can finish within a second", "it was killed before", sent)
}

fn second_cancel(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.script.ignore_polite_stops();
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    for grace_ms in [300, 30_000] {
        cancel(&mut adapter, prepared.run_id(), Some(grace_ms))?;
    }
    let is_done = adapter.wait_done(prepared.run_id(), STOP_TIMEOUT);
    let record: RunRecord = adapter.run(prepared.run_id());
    let sent = "run/cancel with graceMs 300, then with graceMs 30000";
    let expected = "the second cancel does not delay the stop";
    record.ensure(is_done, expected, format!("no `done` within {STOP_TIMEOUT:?}"), sent)
}

fn cancel(
    adapter: &mut AdapterClient,
    run_id: &str,
    grace_ms: Option<u64>,
) -> Result<CancelRunResult, Finding> {
    adapter.call(&CancelRunParams { run_id: run_id.to_owned(), grace_ms, reason: None })
}

/// Returns when the agent CLI got its first SIGTERM.
fn termination(adapter: &AdapterClient) -> Option<u64> {
    let starts = adapter.fake_cli.starts();
    let signals = &starts.last()?.signals;
    signals.iter().find(|(name, _)| name == "SIGTERM").map(|(_, at_ms)| *at_ms)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
