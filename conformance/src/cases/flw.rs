//! FLW: a host that does not read for a while.

use std::time::Duration;

use od_protocol::CANCEL_RUN;
use serde_json::json;

use super::can::{cancelled, hanging, under_way};
use super::expectations::{Amount, answer_of, exact_answer, plain_answer};
use crate::bench::{Bench, Setup};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::play::Performance;
use crate::plugin::Answer;
use crate::stand_in::Step;
use crate::verdict::{Failure, Finding, Verdict};

/// How many pieces the answer has: more than the pipe and one read of the suite hold, so that the
/// adapter really has to wait.
const PIECES: Amount = Amount { brief: 900, fast: 8_000, full: 20_000, slow: 60_000 };
/// How long nobody reads.
const STALL: Duration = Duration::from_secs(3);
/// How long nobody reads while a cancel is under way.
const SHORT_STALL: Duration = Duration::from_secs(1);
/// How long everything may take once somebody reads again.
const CATCH_UP: Duration = Duration::from_secs(20);

/// The chapter's checks.
pub const CHECKS: &[Check] = &[Check {
    id: "FLW-01",
    level: Level::Must,
    sentence: "a host that does not read for three seconds loses nothing, and a cancel sent \
               meanwhile still ends the run",
    why: "hosts are busy, and a queue that drops what does not fit loses words without a trace",
    gate: Gate::cli_scenario("text"),
    tier: Tier::Fast,
    body: Body::Active(stalled_reader),
}];

fn stalled_reader(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    nothing_is_lost(bench)?;
    cancel_still_works(bench)
}

fn nothing_is_lost(bench: &mut Bench) -> Verdict {
    let nonce = bench.nonce();
    let pieces = (0..PIECES.of(bench)).map(|number| format!("{nonce} piece {number}, ")).collect();
    let play = answer_of(bench, "text", pieces)?;
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.begin(&play)?;
    plugin.stall(STALL);
    let record = plugin.finish(play.run_id(), CATCH_UP)?;
    let sent = format!("run/start; the suite did not read for {STALL:?}");
    exact_answer(&Performance { play, record, invocation: None }, &sent)
}

fn cancel_still_works(bench: &mut Bench) -> Verdict {
    let mut play = hanging(bench, &[])?;
    let words = play.script.steps.iter().rposition(|step| matches!(step, Step::Out { .. }));
    let Some((at, Step::Out { text, .. })) = words.map(|at| (at, play.script.steps[at].clone()))
    else {
        return Err(Finding::Untestable("the scenario text prints nothing".to_owned()));
    };
    let lines = PIECES.of(bench) as u64;
    play.script.steps.insert(at + 1, Step::Flood { stderr: false, lines, text });
    let mut plugin = bench.launch(&Setup::default())?;
    under_way(bench, &mut plugin, &play)?;
    let id = plugin.ask(CANCEL_RUN.name, json!({"runId": play.run_id(), "graceMs": 300}));
    plugin.stall(SHORT_STALL);
    let sent = format!("run/cancel in a flood; the suite did not read for {SHORT_STALL:?}");
    match plugin.answer(&id, CATCH_UP)? {
        Answer::Result(value) if value["accepted"] == true => {}
        other => {
            return Err(Failure::new("run/cancel is accepted", other.summary())
                .sent(sent)
                .at(plugin.place())
                .into());
        }
    }
    let record = plugin.finish(play.run_id(), CATCH_UP)?;
    cancelled(&record, &sent)
}
