//! TMO: the limits of time that a run is given.

use std::time::{Duration, Instant};

use od_protocol::{DoneStatus, ErrorKind, Timeouts};

use super::can::hanging;
use super::expectations::{ending, failure, plain_answer};
use crate::bench::{Bench, Setup};
use crate::case::{Check, Gate, active};
use crate::derive::cut_after;
use crate::play::Play;
use crate::stand_in::Step;
use crate::verdict::{Finding, Verdict};

/// The limits that are set, in milliseconds.
const TOTAL_MS: u64 = 1_500;
const START_MS: u64 = 1_000;
const IDLE_MS: u64 = 1_200;
/// An agent CLI that says something so often, with such pauses, is not idle.
const WORDS: usize = 5;
const PAUSE_MS: u64 = 400;
/// How long the end may take after the limit: a second or two of politeness, and some air.
const END_LIMIT: Duration = Duration::from_secs(4);
/// Clocks are read at different moments.
const ROUNDING: Duration = Duration::from_millis(20);

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "TMO-01",
        "a run that is not over after `timeouts.totalMs` is ended, and its status is timed_out",
        "a run that nobody watches must not cost money for ever",
        Gate::scenario("cancel"),
        total,
    ),
    active(
        "TMO-02",
        "a run whose agent CLI is silent for `timeouts.idleMs` is ended, and every output starts \
         that time anew",
        "a stuck agent is stopped soon, and one that works long is not taken for stuck",
        Gate::cli_scenario("text"),
        idle,
    ),
    active(
        "TMO-03",
        "a run whose agent CLI says nothing at all within `timeouts.startMs` is ended",
        "an agent CLI that waits for a login or an update in secret never begins",
        Gate::cli_scenario("text"),
        start,
    ),
];

fn total(bench: &mut Bench) -> Verdict {
    let mut play = bench.prepare("cancel")?;
    play.request.timeouts = Timeouts { total_ms: Some(TOTAL_MS), ..Timeouts::default() };
    let sent = format!("run/start with totalMs {TOTAL_MS}; the agent CLI works on for ever");
    timed_out(bench, &play, TOTAL_MS, &sent)
}

fn idle(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mut play = hanging(bench, &[])?;
    let words = play.script.steps.iter().rposition(|step| matches!(step, Step::Out { .. }));
    let Some(at) = words else {
        return Err(Finding::Untestable("the scenario text prints nothing".to_owned()));
    };
    let again = [Step::Sleep { ms: PAUSE_MS }, play.script.steps[at].clone()];
    play.script.steps.splice(at + 1..at + 1, std::iter::repeat_n(again, WORDS).flatten());
    play.request.timeouts = Timeouts { idle_ms: Some(IDLE_MS), ..Timeouts::default() };
    let spoken_ms = PAUSE_MS * WORDS as u64;
    let sent = format!(
        "run/start with idleMs {IDLE_MS}; the agent CLI spoke every {PAUSE_MS} ms for \
         {spoken_ms} ms, then hung"
    );
    timed_out(bench, &play, spoken_ms + IDLE_MS, &sent)
}

fn start(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mut play = bench.prepare("text")?;
    play.script = cut_after(&play.script, 0, &[Step::Hang]);
    play.request.timeouts = Timeouts { start_ms: Some(START_MS), ..Timeouts::default() };
    let sent = format!("run/start with startMs {START_MS}; the agent CLI says nothing");
    timed_out(bench, &play, START_MS, &sent)
}

/// The run is ended by a limit of time, not before so many milliseconds, and nothing of it stays.
fn timed_out(bench: &mut Bench, play: &Play, not_before_ms: u64, sent: &str) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    let not_before = Duration::from_millis(not_before_ms);
    let begun = Instant::now();
    plugin.begin(play)?;
    let is_done = plugin.wait_done(play.run_id(), not_before + END_LIMIT);
    let record = plugin.run(play.run_id());
    if !is_done {
        let expected = format!("`done` within {END_LIMIT:?} after the limit");
        return Err(failure(&record, expected, ending(&record), sent));
    }
    let is_timed_out = record.done().is_some_and(|done| {
        done.status == DoneStatus::TimedOut && done.error_kind == Some(ErrorKind::Timeout)
    });
    if !is_timed_out {
        let expected = "`done` with status timed_out and errorKind timeout";
        return Err(failure(&record, expected, ending(&record), sent));
    }
    let took = record.events.last().map_or(Duration::ZERO, |last| last.at - begun);
    if took + ROUNDING < not_before {
        let expected = format!("the run is not ended before {not_before:?}");
        return Err(failure(&record, expected, format!("it was ended after {took:.1?}"), sent));
    }
    let alive = plugin.stand_in.processes();
    if !alive.is_empty() {
        let got = format!("processes {alive:?} are alive");
        return Err(failure(&record, "the agent CLI is gone at `done`", got, sent));
    }
    Ok(())
}
