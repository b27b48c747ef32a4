//! TMO: the timeouts of a run.

use std::time::{Duration, Instant};

use od_protocol::{DoneStatus, ErrorKind, Timeouts};

use super::AdapterCheck;
use super::cancellation::prepare_hanging;
use super::expectations::{describe_end, plain_answer};
use crate::check::{Gate, active};
use crate::context::CheckContext;
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;
use crate::script_variants::cut_after;

/// The timeouts that are set, in milliseconds.
const TOTAL_MS: u64 = 1_500;
const START_MS: u64 = 1_000;
const IDLE_MS: u64 = 1_200;
/// An agent CLI that prints this many outputs with these pauses is not idle.
const OUTPUT_COUNT: usize = 5;
const PAUSE_MS: u64 = 400;
/// The timeout from the limit to the end of the run: grace periods and a reserve.
const END_TIMEOUT: Duration = Duration::from_secs(4);
/// The tolerance for clocks that are read at different times.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(20);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "TMO-01",
        "a run that has not ended after `timeouts.totalMs` is ended with the status timed_out",
        "an unattended run must not cost money forever",
        Gate::scenario("cancel"),
        total,
    ),
    active(
        "TMO-02",
        "a run whose agent CLI is silent for `timeouts.idleMs` is ended, and every output restarts \
         that timeout",
        "a stuck agent is stopped soon, and a long-running one is not mistaken for stuck",
        Gate::cli_scenario("text"),
        idle,
    ),
    active(
        "TMO-03",
        "a run whose agent CLI prints nothing within `timeouts.startMs` is ended",
        "an agent CLI that waits for a login or an update never starts its work",
        Gate::cli_scenario("text"),
        start,
    ),
];

fn total(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = context.prepare("cancel")?;
    prepared.request.timeouts = Timeouts { total_ms: Some(TOTAL_MS), ..Timeouts::default() };
    let sent = format!("run/start with totalMs {TOTAL_MS}; the agent CLI never finishes");
    timed_out(context, &prepared, TOTAL_MS, &sent)
}

fn idle(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut prepared = prepare_hanging(context, &[])?;
    let last_output =
        prepared.script.steps.iter().rposition(|step| matches!(step, Step::Out { .. }));
    let Some(at) = last_output else {
        return Err(Finding::Untestable("the scenario text prints nothing".to_owned()));
    };
    let again = [Step::Sleep { ms: PAUSE_MS }, prepared.script.steps[at].clone()];
    prepared
        .script
        .steps
        .splice(at + 1..at + 1, std::iter::repeat_n(again, OUTPUT_COUNT).flatten());
    prepared.request.timeouts = Timeouts { idle_ms: Some(IDLE_MS), ..Timeouts::default() };
    let printed_ms = PAUSE_MS * OUTPUT_COUNT as u64;
    let sent = format!(
        "run/start with idleMs {IDLE_MS}; the agent CLI printed every {PAUSE_MS} ms for \
         {printed_ms} ms, then hung"
    );
    timed_out(context, &prepared, printed_ms + IDLE_MS, &sent)
}

fn start(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut prepared = context.prepare("text")?;
    prepared.script = cut_after(&prepared.script, 0, &[Step::Hang]);
    prepared.request.timeouts = Timeouts { start_ms: Some(START_MS), ..Timeouts::default() };
    let sent = format!("run/start with startMs {START_MS}; the agent CLI prints nothing");
    timed_out(context, &prepared, START_MS, &sent)
}

/// Fails unless the run is ended by a timeout, not before this many milliseconds, and leaves no
/// process.
fn timed_out(
    context: &mut CheckContext,
    prepared: &PreparedRun,
    not_before_ms: u64,
    sent: &str,
) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let not_before = Duration::from_millis(not_before_ms);
    let started_at = Instant::now();
    adapter.begin(prepared)?;
    let is_done = adapter.wait_done(prepared.run_id(), not_before + END_TIMEOUT);
    let record = adapter.run(prepared.run_id());
    if !is_done {
        let expected = format!("`done` within {END_TIMEOUT:?} after the limit");
        return Err(record.failure(expected, describe_end(&record), sent));
    }
    let is_timed_out = record.done().is_some_and(|done| {
        done.status == DoneStatus::TimedOut && done.error_kind == Some(ErrorKind::Timeout)
    });
    if !is_timed_out {
        let expected = "`done` with status timed_out and errorKind timeout";
        return Err(record.failure(expected, describe_end(&record), sent));
    }
    let took = record.events.last().map_or(Duration::ZERO, |last| last.at - started_at);
    if took + CLOCK_TOLERANCE < not_before {
        let expected = format!("the run is not ended before {not_before:?}");
        return Err(record.failure(expected, format!("it was ended after {took:.1?}"), sent));
    }
    let alive = adapter.fake_cli.processes();
    let got = format!("processes {alive:?} are alive");
    record.ensure(alive.is_empty(), "the agent CLI has ended at `done`", got, sent)
}
