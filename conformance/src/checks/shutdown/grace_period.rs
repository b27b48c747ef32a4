//! `shutdown.graceMs`.

use std::time::{Duration, Instant};

use od_protocol::DoneStatus;
use od_protocol::adapter::SHUTDOWN;
use serde_json::json;

use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::cancellation::{prepare_hanging, start_and_wait_for_output};
use crate::checks::expectations::describe_end;
use crate::context::CheckContext;
use crate::fake_cli::{Script, Step};
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;

/// How long the graceful stop of the agent CLI takes, and the grace period that allows it.
const STOP_MS: u64 = 1_200;
const LONG_GRACE_MS: u64 = 4_000;
/// The grace period for an agent CLI that ignores signals.
const IGNORED_GRACE_MS: u64 = 3_000;
/// By how much a shutdown without a grace period is shorter than one with it.
const MIN_DIFFERENCE: Duration = Duration::from_secs(1);
/// How often the shutdown without a grace period is measured; a busy machine can delay one.
const ATTEMPTS: usize = 3;
/// The time that stopping takes in addition to the grace period, with a reserve.
const STOP_TIMEOUT: Duration = Duration::from_secs(8);

pub(super) fn honoured(context: &mut CheckContext) -> CheckOutcome {
    slow_stop_finishes(context)?;
    ignored_signals(context)?;
    several_runs(context)
}

/// An agent CLI whose graceful stop takes some time, but less than the grace period.
fn slow_stop_finishes(context: &mut CheckContext) -> CheckOutcome {
    if !context.suite.has_scenario("cancel") {
        return Ok(());
    }
    let mut prepared = context.prepare("cancel")?;
    if !delay_stop(&mut prepared.script) {
        return Ok(());
    }
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let sent =
        format!("shutdown with graceMs {LONG_GRACE_MS}; the agent CLI needs {STOP_MS} ms to stop");
    shut_down(&mut adapter, LONG_GRACE_MS, &[&prepared], &sent)?;
    let has_finished = adapter.fake_cli.starts().last().is_some_and(|start| start.ended);
    let expected = "the agent CLI can stop by itself within the grace period";
    adapter.ensure(has_finished, expected, "it was killed before that", sent)
}

/// Adds a pause to every handler that ends the agent CLI; `false` without such a handler. A server
/// is left alone, because its client may limit the time of a request.
fn delay_stop(script: &mut Script) -> bool {
    if script.steps.iter().any(|step| matches!(step, Step::Listen { .. })) {
        return false;
    }
    let ends = |steps: &[Step]| steps.iter().any(|step| matches!(step, Step::Exit { .. }));
    let mut is_delayed = false;
    for handler in script.handlers.iter_mut().filter(|handler| ends(&handler.steps)) {
        handler.steps.insert(0, Step::Sleep { ms: STOP_MS });
        is_delayed = true;
    }
    is_delayed
}

/// An agent CLI that ignores signals is killed after the grace period, neither earlier nor later.
fn ignored_signals(context: &mut CheckContext) -> CheckOutcome {
    let long = timed_shutdown(context, IGNORED_GRACE_MS)?;
    let grace = Duration::from_millis(IGNORED_GRACE_MS);
    let sent = "shutdown; the agent CLI ignores SIGINT, SIGTERM and SIGHUP";
    if long < grace {
        let expected = format!("the agent CLI is not killed before graceMs {IGNORED_GRACE_MS}");
        let failure =
            crate::outcome::Failure::new(expected, format!("a response after {long:.1?}"));
        return Err(failure.sent(sent).into());
    }
    let mut shortest = Duration::MAX;
    for _ in 0..ATTEMPTS {
        shortest = shortest.min(timed_shutdown(context, 0)?);
        if shortest + MIN_DIFFERENCE < long {
            return Ok(());
        }
    }
    let expected = "graceMs 0 ends the agent CLI without a grace period";
    let got = format!("{shortest:.1?} with graceMs 0, {long:.1?} with graceMs {IGNORED_GRACE_MS}");
    Err(crate::outcome::Failure::new(expected, got).sent(sent).into())
}

fn timed_shutdown(context: &mut CheckContext, grace_ms: u64) -> Result<Duration, Finding> {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.script.ignore_polite_stops();
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let started_at = Instant::now();
    let sent = format!("shutdown with graceMs {grace_ms}; the agent CLI ignores signals");
    shut_down(&mut adapter, grace_ms, &[&prepared], &sent)?;
    Ok(started_at.elapsed())
}

/// Several open runs, if the adapter supports them.
fn several_runs(context: &mut CheckContext) -> CheckOutcome {
    let first = prepare_hanging(context, &[])?;
    let second = prepare_hanging(context, &[])?;
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &first)?;
    let mut runs = vec![&first];
    if let Answer::Result(_) = adapter.try_begin(&second)? {
        runs.push(&second);
    }
    shut_down(&mut adapter, 300, &runs, "shutdown with every run that the adapter supports")
}

/// Shuts down; every run must have its `done` before the response.
fn shut_down(
    adapter: &mut AdapterClient,
    grace_ms: u64,
    runs: &[&PreparedRun],
    sent: &str,
) -> CheckOutcome {
    let id = adapter.ask(SHUTDOWN.name, json!({"graceMs": grace_ms}));
    let limit = SHUTDOWN.limit() + Duration::from_millis(grace_ms) + STOP_TIMEOUT;
    let answer = adapter.answer(&id, limit)?;
    let is_result = matches!(answer, Answer::Result(_));
    adapter.ensure(is_result, "the result {}", answer.summary(), sent)?;
    let answered = adapter.inbox.answers.get(&id).map(|line| line.location.line);
    for prepared in runs {
        let record = adapter.run(prepared.run_id());
        let done = record.of_type("done").next().map(|done| done.location.line);
        let is_before = done.is_some() && done < answered;
        let got = describe_end(&record);
        adapter.ensure(is_before, "`done` of every run before the response", got, sent)?;
        let is_cancelled = record.done().is_some_and(|done| done.status == DoneStatus::Cancelled);
        let got = describe_end(&record);
        record.ensure(is_cancelled, "`done` with status cancelled", got, sent)?;
    }
    Ok(())
}
