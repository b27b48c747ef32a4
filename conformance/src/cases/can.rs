//! CAN: stopping a run, and everything it started.

use std::time::Duration;

use od_protocol::{CANCEL_RUN, CancelRunParams, CancelRunResult, DoneStatus};
use rand::RngExt;
use serde_json::json;

use super::expectations::{Amount, ending, failure, line_with, output_steps, still_answers};
use crate::bench::{Bench, Setup};
use crate::case::{Check, Gate, active};
use crate::derive::cut_after;
use crate::play::Play;
use crate::plugin::{Answer, Plugin, RunRecord};
use crate::process;
use crate::stand_in::Step;
use crate::verdict::{Failure, Finding, Verdict, ensure};

/// How long an agent CLI may take to stop politely.
const GRACE: Duration = Duration::from_millis(300);
/// How long the whole ladder may take: grace, a second after SIGTERM, and some air.
pub(super) const STOP_LIMIT: Duration = Duration::from_secs(5);
/// How long the first words may take.
const FIRST_WORDS: Duration = Duration::from_secs(5);
/// How often a cancel is raced with the end.
const RACES: Amount = Amount { brief: 6, fast: 12, full: 50, slow: 500 };

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "CAN-01",
        "an agent CLI that ignores every polite signal is ended, and the run is cancelled",
        "a person who presses stop wants it to stop",
        Gate::cli_scenario("text"),
        stubborn,
    ),
    active(
        "CAN-02",
        "an agent CLI that stops politely may say its last words first",
        "a session that is killed at once is often damaged, and its usage is lost",
        Gate::scenario("cancel"),
        polite,
    ),
    active(
        "CAN-03",
        "at `done` no process of the run is alive, not even one that left the session and kept \
         nothing of the environment",
        "a tool that goes on changes files behind the person's back",
        Gate::cli_scenario("text"),
        no_survivor,
    ),
    active(
        "CAN-04",
        "a second cancel is no error; a cancel of a run that is over or unknown is not accepted \
         and no error",
        "two people, or one impatient person, press stop twice",
        Gate::scenario("cancel"),
        idempotent,
    ),
    active(
        "CAN-05",
        "a cancel that meets the end of the run still gives exactly one `done`",
        "the stop button is pressed when the answer is done: this race is the usual case",
        Gate::cli_scenario("text"),
        raced,
    ),
];

fn stubborn(bench: &mut Bench) -> Verdict {
    let mut play = hanging(bench, &[])?;
    play.script.ignore_polite_stops();
    let mut plugin = bench.launch(&Setup::default())?;
    under_way(bench, &mut plugin, &play)?;
    let sent = "run/cancel; the agent CLI ignores SIGINT, SIGTERM and SIGHUP";
    let record = stopped(&mut plugin, &play, sent)?;
    ensure(plugin.stand_in.processes().is_empty(), "the agent CLI is gone at `done`", || {
        format!("processes {:?} are alive", plugin.stand_in.processes())
    })?;
    cancelled(&record, sent)
}

fn polite(bench: &mut Bench) -> Verdict {
    let play = bench.prepare("cancel")?;
    let has_cli = bench.suite.has_cli();
    let mut plugin = bench.launch(&Setup::default())?;
    under_way(bench, &mut plugin, &play)?;
    plugin.cancel(play.run_id())?;
    let sent = "run/cancel of the scenario cancel";
    let record = plugin.finish(play.run_id(), STOP_LIMIT)?;
    cancelled(&record, sent)?;
    if !has_cli {
        return Ok(());
    }
    let ended = plugin.stand_in.starts().last().is_some_and(|invocation| invocation.ended);
    if !ended {
        let expected = "the agent CLI is asked to stop and may finish its own way";
        return Err(failure(&record, expected, "it was killed before that", sent));
    }
    let last_words = play.values.text("second_text");
    let says_them = play
        .script
        .handlers
        .iter()
        .flat_map(|handler| &handler.steps)
        .any(|step| matches!(step, Step::Out { text, .. } if text.contains(&last_words)));
    if says_them && !record.text().contains(&last_words) {
        let expected = format!("its last words {last_words:?} arrive");
        return Err(failure(&record, expected, format!("the text {:?}", record.text()), sent));
    }
    Ok(())
}

fn no_survivor(bench: &mut Bench) -> Verdict {
    if !process::CAN_INSPECT {
        return Err(Finding::Skip("this system does not show its processes".to_owned()));
    }
    let mut plugin = bench.launch(&Setup::default())?;
    let play = hanging(bench, &[Step::Spawn])?;
    under_way(bench, &mut plugin, &play)?;
    has_child(&plugin)?;
    let sent = "run/cancel; the agent CLI had started a process in its own session";
    stopped(&mut plugin, &play, sent)?;
    nobody_left(&plugin, sent)?;

    let mut play = bench.prepare("text")?;
    let last = output_steps(&play.script, 0).last().copied().unwrap_or(0);
    play.script.steps.insert(last, Step::Spawn);
    plugin.begin(&play)?;
    plugin.finish(play.run_id(), STOP_LIMIT)?;
    nobody_left(&plugin, "run/start; the agent CLI left a process behind and said that it is done")
}

fn idempotent(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    let play = bench.prepare("cancel")?;
    under_way(bench, &mut plugin, &play)?;
    cancel_twice(&mut plugin, play.run_id())?;
    let record = plugin.finish(play.run_id(), STOP_LIMIT)?;
    cancelled(&record, "run/cancel, twice")?;
    let unknown = format!("run-{}", bench.nonce());
    for (run_id, what) in [(play.run_id(), "is over"), (&unknown, "is unknown")] {
        let result = cancel(&mut plugin, run_id)?;
        ensure(!result.accepted, format!("accepted is false for a run that {what}"), || {
            "accepted is true".to_owned()
        })?;
    }
    Ok(())
}

fn raced(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    for round in 0..RACES.of(bench) {
        let play = bench.prepare("text")?;
        let last_words = play.values.text("text").trim_end().to_owned();
        let jitter = Duration::from_micros(bench.random().random_range(0..4000));
        plugin.begin(&play)?;
        plugin.wait_event(play.run_id(), FIRST_WORDS, "the last words", |received| {
            let text = received.value["text"].as_str().unwrap_or_default().trim_end();
            let is_last = text.ends_with(&last_words) || last_words.ends_with(text);
            received.type_name() == "done" || (is_last && !text.is_empty())
        })?;
        plugin.listen(jitter);
        cancel(&mut plugin, play.run_id())?;
        let sent = format!("run/cancel {jitter:?} after the last words, round {round}");
        let record = plugin.finish(play.run_id(), STOP_LIMIT)?;
        let status = record.done().map(|done| done.status);
        if !matches!(status, Some(DoneStatus::Completed | DoneStatus::Cancelled)) {
            let expected = "`done` with status completed or cancelled";
            return Err(failure(&record, expected, ending(&record), &sent));
        }
        still_answers(&mut plugin, &sent)?;
    }
    Ok(())
}

/// A play that says its first words, does something, and then waits for ever.
pub(super) fn hanging(bench: &mut Bench, then: &[Step]) -> Result<Play, Finding> {
    let mut play = bench.prepare("text")?;
    let first_words = line_with(&play.script, play.values.deltas[0].trim_end())?;
    let lines = output_steps(&play.script, 0).iter().filter(|index| **index <= first_words).count();
    let ending = [then, &[Step::Hang]].concat();
    play.script = cut_after(&play.script, lines, &ending);
    Ok(play)
}

/// Starts a run and waits until the agent CLI is at work: its first words, or its first sign of
/// life where words come only at the end.
pub(super) fn under_way(bench: &Bench, plugin: &mut Plugin, play: &Play) -> Verdict {
    plugin.begin(play)?;
    let has_deltas = bench.suite.declares("textDeltas");
    let wanted = "the first words of the agent";
    plugin.wait_event(play.run_id(), FIRST_WORDS, wanted, |received| {
        match received.type_name() {
            "text_delta" | "thinking_delta" | "tool_call_started" => true,
            "run_started" | "heartbeat" => false,
            _ => !has_deltas,
        }
    })?;
    Ok(())
}

fn cancel(plugin: &mut Plugin, run_id: &str) -> Result<CancelRunResult, Finding> {
    let grace_ms = u64::try_from(GRACE.as_millis()).ok();
    plugin.call(&CancelRunParams { run_id: run_id.to_owned(), grace_ms, reason: None })
}

/// Both are on their way before the first can have ended the run.
fn cancel_twice(plugin: &mut Plugin, run_id: &str) -> Verdict {
    let params = json!({"runId": run_id, "graceMs": GRACE.as_millis() as u64});
    let ids = [(); 2].map(|()| plugin.ask(CANCEL_RUN.name, params.clone()));
    for (id, is_first) in ids.iter().zip([true, false]) {
        let (expected, got) = match plugin.answer(id, CANCEL_RUN.limit())? {
            Answer::Result(value) if !is_first || value["accepted"] == true => continue,
            other if is_first => ("the first run/cancel is accepted", other.summary()),
            other => ("the second run/cancel is no error", other.summary()),
        };
        return Err(Failure::new(expected, got)
            .sent("run/cancel, twice")
            .at(plugin.place())
            .into());
    }
    Ok(())
}

/// Cancels a run and waits for its end.
fn stopped(plugin: &mut Plugin, play: &Play, sent: &str) -> Result<RunRecord, Finding> {
    let result = cancel(plugin, play.run_id())?;
    ensure(result.accepted, "run/cancel is accepted", || "accepted is false".to_owned())?;
    if plugin.wait_done(play.run_id(), STOP_LIMIT) {
        return Ok(plugin.run(play.run_id()));
    }
    let record = plugin.run(play.run_id());
    let expected = format!("`done` within {STOP_LIMIT:?}");
    Err(failure(&record, expected, ending(&record), sent))
}

pub(super) fn cancelled(record: &RunRecord, sent: &str) -> Verdict {
    let status = record.done().map(|done| done.status);
    if status == Some(DoneStatus::Cancelled) {
        return Ok(());
    }
    Err(failure(record, "`done` with status cancelled", ending(record), sent))
}

/// The stand-in has started its detached process.
fn has_child(plugin: &Plugin) -> Verdict {
    let (is_there, _) = plugin.stand_in.wait_until(FIRST_WORDS, |invocations| {
        invocations.iter().any(|invocation| !invocation.children.is_empty())
    });
    match is_there {
        true => Ok(()),
        false => Err(Finding::Suite("the stand-in did not start its detached process".to_owned())),
    }
}

/// Nothing that the stand-in started is alive.
fn nobody_left(plugin: &Plugin, sent: &str) -> Verdict {
    let children = plugin.stand_in.starts().into_iter().flat_map(|start| start.children);
    let alive: Vec<u32> =
        children.chain(plugin.stand_in.processes()).filter(|pid| process::is_alive(*pid)).collect();
    if alive.is_empty() {
        return Ok(());
    }
    let got = format!("processes {alive:?} are alive");
    Err(Failure::new("no process of the run is alive at `done`", got)
        .sent(sent)
        .at(plugin.place())
        .into())
}
