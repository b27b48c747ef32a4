//! RUN: a run is accepted at once, and what the agent says arrives, all of it, while it says it.

use std::time::Duration;

use od_protocol::{START_RUN, StartRunResult};

use super::expectations::{RUN_LIMIT, exact_answer, line_with};
use crate::bench::{Bench, Setup};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::play::Performance;
use crate::plugin::Answer;
use crate::stand_in::Step;
use crate::verdict::{Failure, Verdict};

const GATE: &str = "go-on";
/// How long the first words may take; the agent CLI has printed them long before.
const FIRST_WORDS: Duration = Duration::from_secs(5);

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    Check {
        id: "RUN-01",
        level: Level::Must,
        sentence: "`run/start` is answered when the run is accepted, not when it is over",
        why: "a host that waits for the answer cannot show, steer or stop the run",
        gate: Gate::scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(answered_on_acceptance),
    },
    Check {
        id: "RUN-02",
        level: Level::Must,
        sentence: "the text of all deltas is exactly the text the agent CLI sent: nothing lost, \
                   nothing doubled",
        why: "this is what people read",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(exact_text),
    },
    Check {
        id: "RUN-03",
        level: Level::Must,
        sentence: "deltas are forwarded while the agent CLI is still at work",
        why: "a person who sees nothing for minutes stops the run",
        gate: Gate::cli_scenario("text").with_capability("textDeltas"),
        tier: Tier::Fast,
        body: Body::Active(forwarded_at_once),
    },
];

fn answered_on_acceptance(bench: &mut Bench) -> Verdict {
    let has_cli = bench.suite.has_cli();
    let mut play = bench.prepare("text")?;
    if has_cli {
        play.script.steps.insert(0, Step::Gate { name: GATE.to_owned() });
    }
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.stand_in.play(&play.script)?;
    plugin.inbox.open_run(play.run_id());
    let params = serde_json::to_value(&play.request).unwrap_or_default();
    let id = plugin.ask(START_RUN.name, params);
    let answer = plugin.answer(&id, START_RUN.limit());
    plugin.stand_in.open_gate(GATE)?;
    let sent = "run/start; the agent CLI prints nothing yet";
    let accepted = match answer? {
        Answer::Result(value) => serde_json::from_value::<StartRunResult>(value.clone())
            .is_ok_and(|result| result.run_id == play.run_id())
            .then_some(())
            .ok_or_else(|| format!("the result {value}")),
        refused @ Answer::Error(_) => Err(refused.summary()),
    };
    if let Err(got) = accepted {
        let expected = format!("a result with runId {:?}", play.run_id());
        return Err(Failure::new(expected, got).sent(sent).at(plugin.place()).into());
    }
    plugin.finish(play.run_id(), RUN_LIMIT).map(drop)
}

fn exact_text(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("text")?;
    exact_answer(&performance, "run/start; the agent CLI printed an answer in pieces")
}

fn forwarded_at_once(bench: &mut Bench) -> Verdict {
    let mut play = bench.prepare("text")?;
    let (first, second) = (play.values.deltas[0].clone(), play.values.deltas[1].clone());
    let second_line = line_with(&play.script, second.trim_end())?;
    play.script.steps.insert(second_line, Step::Gate { name: GATE.to_owned() });
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.begin(&play)?;
    let run_id = play.run_id().to_owned();
    let wanted = "a `text_delta` with the first words while the agent CLI waits";
    let mut text = String::new();
    let early = plugin.wait_event(&run_id, FIRST_WORDS, wanted, |received| {
        if received.type_name() == "text_delta" {
            text.push_str(received.value["text"].as_str().unwrap_or_default());
        }
        text.contains(first.trim_end())
    });
    plugin.stand_in.open_gate(GATE)?;
    early?;
    let record = plugin.finish(&run_id, RUN_LIMIT)?;
    let sent = "run/start; the agent CLI paused between two pieces";
    exact_answer(&Performance { play, record, invocation: None }, sent)
}
