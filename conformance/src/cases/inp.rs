//! INP: what is said to a run that is under way.

use std::time::Duration;

use od_protocol::{ErrorKind, INPUT_RUN, InputOutcome, InputRunResult};
use serde_json::{Value, json};

use super::expectations::{RUN_LIMIT, completed, failure};
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Check, Gate, active};
use crate::play::Play;
use crate::plugin::{Answer, Plugin};
use crate::verdict::{Failure, Finding, Verdict};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "INP-01",
        "input that is answered with steered or queued reaches the agent CLI byte for byte, and \
         its answer is part of the run",
        "a person believes that the agent has heard it",
        Gate::cli_scenario("input").with_capability("input"),
        reaches_run,
    ),
    active(
        "INP-02",
        "input for a run that has ended, that never was, or for a turn that does not run is \
         refused",
        "text that is accepted and goes nowhere is lost without anybody knowing",
        Gate::cli_scenario("input").with_capability("input"),
        refused_honestly,
    ),
];

/// How long accepted input may take to reach the agent CLI.
const ARRIVAL: Duration = Duration::from_secs(4);

/// Starts the scenario and waits until the agent CLI has begun to answer.
fn begin(bench: &mut Bench, plugin: &mut Plugin) -> Result<Play, Finding> {
    let play = bench.prepare("input")?;
    plugin.begin(&play)?;
    plugin.wait_event(play.run_id(), RUN_LIMIT, "`text_delta`", |received| {
        received.type_name() == "text_delta"
    })?;
    Ok(play)
}

fn say(plugin: &mut Plugin, params: Value) -> Result<(Option<InputOutcome>, Answer), Finding> {
    let answer = plugin.request(INPUT_RUN.name, params)?;
    let outcome = match &answer {
        Answer::Result(value) => serde_json::from_value::<InputRunResult>(value.clone()).ok(),
        Answer::Error(_) => None,
    };
    Ok((outcome.map(|result| result.outcome), answer))
}

fn reaches_run(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    let text = format!("and also «{}» 🦜\n\"second line\"", bench.nonce());
    let play = begin(bench, &mut plugin)?;
    speak_and_finish(bench, &mut plugin, &play, &text)
}

/// Says something that must arrive; the run then ends by itself.
fn speak_and_finish(bench: &Bench, plugin: &mut Plugin, play: &Play, text: &str) -> Verdict {
    let sent = format!("run/input with text {text:?}");
    let (outcome, answer) = say(plugin, json!({"runId": play.run_id(), "text": text}))?;
    let steers = bench.suite.declares("input.steer");
    let is_taken = match outcome {
        Some(InputOutcome::Queued) => true,
        Some(InputOutcome::Steered) => steers,
        _ => false,
    };
    if !is_taken {
        let expected = if steers { "steered or queued" } else { "queued (steer is not declared)" };
        let failure = Failure::new(format!("the outcome {expected}"), answer.summary());
        return Err(failure.sent(sent).at(plugin.place()).into());
    }
    let limit = bench.limit(ARRIVAL);
    let arrived = |got: Option<Value>| got == Some(json!(text));
    let (is_there, starts) = plugin.stand_in.wait_until(limit, |starts| {
        starts.last().is_some_and(|start| arrived(start.bound.get("input").cloned()))
    });
    if !is_there {
        let got = starts.last().and_then(|start| start.bound.get("input").cloned());
        let failure = Failure::new(
            format!("the agent CLI gets exactly that text within {limit:.1?}"),
            format!("{}, and it got {got:?}", answer.summary()),
        );
        return Err(failure.sent(sent).at(plugin.place()).into());
    }
    let record = plugin.finish(play.run_id(), RUN_LIMIT)?;
    completed(&record, &sent)?;
    let second = play.values.text("second_text");
    if record.text().contains(&second) {
        return Ok(());
    }
    Err(failure(&record, format!("the answer {second:?} too"), record.text(), &sent))
}

fn refused_honestly(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    let never = json!({"runId": "run-that-never-was", "text": "hello"});
    must_refuse(&mut plugin, never, "run/input for a run that never was")?;
    let play = begin(bench, &mut plugin)?;
    let lost = bench.nonce();
    let other = json!({"runId": play.run_id(), "text": lost, "expectedTurn": "no-such-turn"});
    must_refuse(&mut plugin, other, "run/input with an expectedTurn that does not run")?;
    let text = format!("the right one {}", bench.nonce());
    speak_and_finish(bench, &mut plugin, &play, &text)?;
    let start = plugin.stand_in.starts().pop().unwrap_or_default();
    if start.heard().contains(&lost) {
        let expected = "input that was refused does not reach the agent CLI";
        return Err(Failure::new(expected, format!("{lost} on its stdin")).into());
    }
    let ended = perform_on(&mut plugin, bench.prepare("text")?)?;
    let late = json!({"runId": ended.play.run_id(), "text": "hello"});
    must_refuse(&mut plugin, late, "run/input for a run that has ended")
}

fn must_refuse(plugin: &mut Plugin, params: Value, sent: &str) -> Verdict {
    let (outcome, answer) = say(plugin, params)?;
    let is_unknown =
        matches!(&answer, Answer::Error(error) if error.kind() == ErrorKind::RunUnknown);
    if is_unknown || outcome == Some(InputOutcome::Refused) {
        return Ok(());
    }
    let expected = "the outcome refused, or the error run_unknown";
    Err(Failure::new(expected, answer.summary()).sent(sent).at(plugin.place()).into())
}
