//! ROB: whatever an agent CLI prints, the run goes on and the adapter stays.

use rand::RngExt;
use serde_json::Value;

use super::expectations::{
    Amount, RUN_LIMIT, after_last_question, completed, exact_answer, failure, line_with,
    output_steps, plain_answer, still_answers,
};
use super::fuzz::{Case, Damage, Lab, Trial, changeable, damage, is_unreadable, verdicts_without};
use crate::bench::{Bench, Setup};
use crate::case::{Check, Gate, active};
use crate::derive::before_each_line;
use crate::play::Play;
use crate::plugin::Plugin;
use crate::stand_in::{Script, Step};
use crate::verdict::{Failure, Finding, Verdict, shorten};

/// How many messages with one changed field are tried.
const CHANGED_FIELDS: Amount = Amount { brief: 12, fast: 30, full: 300, slow: 2_000 };
/// How many answers with random damage are tried.
const DAMAGES: Amount = Amount { brief: 8, fast: 60, full: 500, slow: 5_000 };
/// How many lines of an answer are damaged at most.
const DAMAGED_LINES: usize = 3;
/// How often each line of an answer is made unreadable.
const UNREADABLE: Amount = Amount { brief: 1, fast: 4, full: 20, slow: 100 };
/// How much is printed on stderr.
const STDERR_MEGABYTES: Amount = Amount { brief: 1, fast: 8, full: 50, slow: 200 };

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "ROB-01",
        "lines that are no JSON change nothing",
        "agent CLIs, their runtimes and their tools print warnings between their messages",
        Gate::cli_scenario("text"),
        garbage_lines,
    ),
    active(
        "ROB-02",
        "messages of an unknown type change nothing, and are reported as `unmapped`",
        "every agent CLI gets new messages; a wrapper that breaks by them breaks weekly",
        Gate::cli_scenario("unmapped"),
        unknown_types,
    ),
    active(
        "ROB-03",
        "bytes that are no UTF-8 cost at most the characters they stand in",
        "tools print binary data, and agent CLIs pass it on",
        Gate::cli_scenario("text"),
        broken_characters,
    ),
    active(
        "ROB-04",
        "a message whose fields are missing or of another type neither hangs nor ends the adapter",
        "a renamed field must not take the whole run down",
        Gate::cli_scenario("tool_ok"),
        wrong_fields,
    ),
    active(
        "ROB-05",
        "random damage to the output neither hangs nor ends the adapter",
        "nobody can list every way in which output goes wrong",
        Gate::cli_scenario("text"),
        random_damage,
    ),
    active(
        "ROB-06",
        "a flood on stderr neither blocks the agent CLI nor changes the answer",
        "a pipe that nobody reads stops the agent CLI for ever",
        Gate::cli_scenario("text"),
        flood_on_stderr,
    ),
    active(
        "ROB-07",
        "a line that damage has made unreadable is as good as none: the run ends as it would \
         without the line, and every rule of the stream holds",
        "half a last word is no last word; taken for one, a run that was cut off looks complete",
        Gate::cli_scenario("text"),
        unreadable_is_nothing,
    ),
];

fn garbage_lines(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let lines = [
        "npm warn deprecated something@1.0.0",
        "{\"cut\": \"in the mid",
        "}{",
        "null",
        "42",
        "\"text\"",
        "[1, 2, 3]",
        "\u{1b}[2K\u{1b}[1Gloading…",
        "data: {}",
    ];
    let intruder = raw(format!("{}\n", lines.join("\n")).as_bytes());
    let mut play = bench.prepare("text")?;
    play.script = before_each_line(&play.script, &intruder);
    let performance = bench.perform(play)?;
    exact_answer(&performance, "run/start; lines that are no JSON stood between all messages")
}

fn unknown_types(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("unmapped")?;
    let sent = "run/start of the scenario unmapped";
    exact_answer(&performance, sent)?;
    let reported = performance
        .record
        .of_type("unmapped")
        .any(|received| received.value["nativeType"].as_str().is_some_and(|name| !name.is_empty()));
    if !reported {
        let expected = "an `unmapped` event that names the unknown type";
        let got = format!("the events were: {}", shorten(&performance.record.summary(), 300));
        return Err(failure(&performance.record, expected, got, sent));
    }
    Ok(())
}

fn broken_characters(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let intruder = raw(b"\xff\xfe\x80 not text \xc3\x28\xf0\x9f\x92\n");
    let mut play = bench.prepare("text")?;
    play.script = before_each_line(&play.script, &intruder);
    let performance = bench.perform(play)?;
    let sent = "run/start; lines of bytes that are no UTF-8 stood between all messages";
    exact_answer(&performance, sent)?;

    let mut play = bench.prepare("text")?;
    let damaged = play.values.deltas[0].trim_end().to_owned();
    let line = line_with(&play.script, &damaged)?;
    if let Step::Out { text, end } = &play.script.steps[line] {
        let (before, after) = text.split_once(damaged.as_str()).unwrap_or((text, ""));
        let bytes = [
            before.as_bytes(),
            damaged.as_bytes(),
            b"\xc3\x28\xff",
            after.as_bytes(),
            end.as_bytes(),
        ];
        play.script.steps[line] = raw(&bytes.concat());
    }
    let intact = play.values.deltas[1].clone();
    let performance = bench.perform(play)?;
    let sent = "run/start; a text had bytes in it that are no UTF-8";
    completed(&performance.record, sent)?;
    if !performance.record.text().contains(&intact) {
        let expected = format!("the next piece {intact:?} arrives");
        let got = format!("{:?}", shorten(&performance.record.text(), 300));
        return Err(failure(&performance.record, expected, got, sent));
    }
    Ok(())
}

fn wrong_fields(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let play = bench.prepare("tool_ok")?;
    let mut scripts = Vec::new();
    for index in output_steps(&play.script, after_last_question(&play.script)) {
        let Step::Out { text, end } = &play.script.steps[index] else { continue };
        for (change, text) in damaged_fields(text) {
            let mut script = play.script.clone();
            script.steps[index] = Step::Out { text, end: end.clone() };
            scripts.push((change, script));
        }
    }
    let wanted = CHANGED_FIELDS.of(bench);
    let mut plugin = bench.launch(&Setup::default())?;
    while scripts.len() > wanted {
        let index = bench.random().random_range(0..scripts.len());
        scripts.swap_remove(index);
    }
    for (change, script) in scripts {
        let sent = format!("run/start of tool_ok; in one message {change}");
        survives(bench, &mut plugin, "tool_ok", script, &sent)?;
    }
    Ok(())
}

/// Each member of a message, nested ones included, left out or of another type.
fn damaged_fields(line: &str) -> Vec<(String, String)> {
    let Ok(message) = serde_json::from_str::<Value>(line) else { return Vec::new() };
    let mut pointers = Vec::new();
    collect_pointers(&message, "", &mut pointers);
    let mut damaged = Vec::new();
    for pointer in pointers {
        let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
        let mut without = message.clone();
        if let Some(Value::Object(members)) = without.pointer_mut(parent) {
            members.remove(name);
            damaged.push((format!("{pointer} is missing"), without.to_string()));
        }
        let replacements =
            [Value::Null, Value::from(-7), serde_json::json!([{}]), Value::from("?")];
        for replacement in replacements {
            let mut other = message.clone();
            if let Some(value) = other.pointer_mut(&pointer) {
                let change = format!("{pointer} is {replacement}");
                *value = replacement;
                damaged.push((change, other.to_string()));
            }
        }
    }
    damaged
}

fn collect_pointers(value: &Value, at: &str, pointers: &mut Vec<String>) {
    if let Value::Object(members) = value {
        for (name, member) in members.iter().filter(|(name, _)| !name.contains(['/', '~'])) {
            let pointer = format!("{at}/{name}");
            collect_pointers(member, &pointer, pointers);
            pointers.push(pointer);
        }
    }
}

fn random_damage(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mut lab = Lab::new();
    for round in 0..DAMAGES.of(bench) {
        let play = bench.prepare("text")?;
        let mut lines = changeable(&play.script);
        let mut damages = Vec::new();
        for _ in 0..bench.random().random_range(1..=DAMAGED_LINES).min(lines.len()) {
            let step = lines.swap_remove(bench.random().random_range(0..lines.len()));
            let mut bytes = printed(&play.script.steps[step]);
            damage(bench.random(), &mut bytes);
            damages.push(Damage { step, bytes });
        }
        let trial = Trial { limit: RUN_LIMIT, verdict: None };
        let case = Case { play: &play, damages, round, trial };
        if let Some(trouble) = lab.trouble(bench, &play, case.damaged(), trial)? {
            return Err(lab.reduced(bench, &case, trouble));
        }
    }
    Ok(())
}

/// Each line in turn, cut off in one round and damaged at random in the next.
fn unreadable_is_nothing(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mut lab = Lab::new();
    let play = bench.prepare("text")?;
    lab.control(bench, &play)?;
    let is_message = |step: &usize| !is_unreadable(&printed(&play.script.steps[*step]));
    let lines: Vec<usize> = changeable(&play.script).into_iter().filter(is_message).collect();
    if lines.is_empty() {
        return Err(Finding::Skip("no line of this agent CLI is a JSON object".to_owned()));
    }
    let verdicts = verdicts_without(&mut lab, bench, &play, &lines)?;
    let rounds = UNREADABLE.of(bench) * lines.len();
    for (round, step) in lines.iter().cycle().take(rounds).enumerate() {
        let Some(status) = verdicts.get(step) else { continue };
        let mut bytes = printed(&play.script.steps[*step]);
        bytes.pop();
        match (round / lines.len()).is_multiple_of(2) {
            true => bytes.truncate(bench.random().random_range(bytes.len() / 2..bytes.len())),
            false => damage(bench.random(), &mut bytes),
        }
        bytes.push(b'\n');
        if !is_unreadable(&bytes) {
            continue;
        }
        let trial = Trial { limit: RUN_LIMIT, verdict: Some(*status) };
        let damages = vec![Damage { step: *step, bytes }];
        let case = Case { play: &play, damages, round, trial };
        if let Some(trouble) = lab.trouble(bench, &play, case.damaged(), trial)? {
            return Err(lab.reduced(bench, &case, trouble));
        }
    }
    Ok(())
}

/// What a step prints, its line end included.
fn printed(step: &Step) -> Vec<u8> {
    match step {
        Step::Out { text, end } => [text.as_bytes(), end.as_bytes()].concat(),
        _ => Vec::new(),
    }
}

fn flood_on_stderr(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let megabytes = STDERR_MEGABYTES.of(bench);
    let text = format!("warning {} {}", bench.nonce(), "x".repeat(990));
    let lines = (megabytes * 1000) as u64;
    let mut play = bench.prepare("text")?;
    let last = output_steps(&play.script, 0).last().copied().unwrap_or(0);
    play.script.steps.insert(last, Step::Flood { stderr: true, lines, text });
    let performance = bench.perform(play)?;
    let sent = format!("run/start; the agent CLI printed {megabytes} MB on stderr");
    exact_answer(&performance, &sent)
}

/// The run ends, however, and the adapter is still there.
fn survives(
    bench: &mut Bench,
    plugin: &mut Plugin,
    scenario: &str,
    script: Script,
    sent: &str,
) -> Verdict {
    let mut play = Play { script, ..bench.prepare(scenario)? };
    play.script.let_go();
    plugin.begin(&play)?;
    let ended = plugin.finish(play.run_id(), RUN_LIMIT);
    if !plugin.is_running() {
        let failure = Failure::new("the adapter goes on", "it has exited");
        return Err(failure.sent(sent).at(plugin.place()).into());
    }
    ended?;
    still_answers(plugin, sent)
}

fn raw(bytes: &[u8]) -> Step {
    Step::OutBytes { bytes: bytes.to_vec() }
}
