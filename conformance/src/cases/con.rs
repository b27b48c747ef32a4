//! CON: runs at once in one adapter process. An adapter may take only one; then it says so.

use std::time::Duration;

use od_protocol::{ErrorKind, START_RUN};

use super::can::{STOP_LIMIT, hanging, under_way};
use super::expectations::{Amount, RUN_LIMIT, after_last_question, exact_answer, plain_answer};
use crate::bench::{Bench, Setup};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::play::{Performance, Play};
use crate::plugin::{Answer, Plugin};
use crate::stand_in::Step;
use crate::verdict::{Failure, Finding, Verdict, ensure};

/// How many runs are asked for at once.
const RUNS: Amount = Amount { brief: 3, fast: 4, full: 12, slow: 40 };
/// How long an agent CLI may take to be asked what it is to do.
const FIRST_STEPS: Duration = Duration::from_secs(5);

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "CON-01",
        "each of the runs that are taken at once gets its own answer, whole, and the end of one \
         does not touch another",
        "people work on several things; an answer in the wrong window is worse than none",
        parallel,
    ),
    active(
        "CON-02",
        "a run whose id is in use is refused with `run_id_in_use`, one more than can be taken with \
         `too_many_runs`, and the open run goes on",
        "a host that is told why can wait, choose another id or start another process",
        refused,
    ),
];

const fn active(
    id: &'static str,
    sentence: &'static str,
    why: &'static str,
    body: fn(&mut Bench) -> Verdict,
) -> Check {
    let (gate, body) = (Gate::cli_scenario("text"), Body::Active(body));
    Check { id, level: Level::Must, sentence, why, gate, tier: Tier::Fast, body }
}

fn parallel(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mut plugin = bench.launch(&Setup::default())?;
    let mut plays: Vec<Play> = Vec::new();
    for number in 0..RUNS.of(bench) {
        let mut play = bench.prepare("text")?;
        let gate = Step::Gate { name: gate(number) };
        play.script.steps.insert(after_last_question(&play.script), gate);
        let answer = plugin.try_begin(&play)?;
        let is_full =
            matches!(&answer, Answer::Error(error) if error.kind() == ErrorKind::TooManyRuns);
        if is_full && !plays.is_empty() {
            break;
        }
        if let refused @ Answer::Error(_) = answer {
            let expected = "the run is accepted, or refused with too_many_runs";
            let sent = format!("run/start with {number} open runs");
            return Err(Failure::new(expected, refused.summary())
                .sent(sent)
                .at(plugin.place())
                .into());
        }
        is_asked(&plugin, number)?;
        plays.push(play);
    }
    let sent = format!("{} run/start at once, each with another answer", plays.len());
    // One ends while the others are at work; those speak at once.
    let rest = plays.split_off(1);
    plugin.stand_in.open_gate(&gate(0))?;
    plays.into_iter().try_for_each(|play| answered(&mut plugin, play, &sent))?;
    for number in 1..=rest.len() {
        plugin.stand_in.open_gate(&gate(number))?;
    }
    rest.into_iter().try_for_each(|play| answered(&mut plugin, play, &sent))
}

fn answered(plugin: &mut Plugin, play: Play, sent: &str) -> Verdict {
    let record = plugin.finish(play.run_id(), RUN_LIMIT)?;
    exact_answer(&Performance { play, record, invocation: None }, sent)
}

fn gate(number: usize) -> String {
    format!("speak-{number}")
}

/// The agent CLI of this run is at its gate, so the next script is not for it.
fn is_asked(plugin: &Plugin, number: usize) -> Verdict {
    let (is_there, _) = plugin.stand_in.wait_until(FIRST_STEPS, |starts| {
        starts.iter().any(|start| start.gates.contains(&gate(number)))
    });
    if is_there {
        return Ok(());
    }
    let expected = format!("the agent CLI is started and asked within {FIRST_STEPS:?}");
    let got = format!("that of run {number} got nothing to do");
    Err(Failure::new(expected, got).sent("run/start").at(plugin.place()).into())
}

fn refused(bench: &mut Bench) -> Verdict {
    let play = hanging(bench, &[])?;
    let mut plugin = bench.launch(&Setup::default())?;
    under_way(bench, &mut plugin, &play)?;
    let starts = plugin.stand_in.starts().len();
    let params = serde_json::to_value(&play.request).unwrap_or_default();
    plugin.refused(START_RUN.name, params, &ErrorKind::RunIdInUse)?;
    let started = plugin.stand_in.starts().len() - starts;
    ensure(started == 0, "no agent CLI is started for a run that is refused", || {
        format!("{started} were started")
    })?;
    let other = hanging(bench, &[])?;
    let mut open = vec![play];
    match plugin.try_begin(&other)? {
        Answer::Result(_) => open.push(other),
        error => {
            let sent = "run/start of another run while one is open";
            plugin.expect_error(error, &ErrorKind::TooManyRuns, sent)?;
        }
    }
    open.iter().try_for_each(|play| ends_on_demand(&mut plugin, play))
}

fn ends_on_demand(plugin: &mut Plugin, play: &Play) -> Result<(), Finding> {
    let accepted = plugin.cancel(play.run_id())?.accepted;
    ensure(accepted, "the run is still open, so run/cancel is accepted", || {
        "accepted is false".to_owned()
    })?;
    plugin.finish(play.run_id(), STOP_LIMIT).map(drop)
}
