//! ROB: unexpected output of the agent CLI neither fails the run nor ends the adapter.

mod stderr_output;
mod unmapped;

use rand::RngExt;
use serde_json::Value;

use super::AdapterCheck;
use super::expectations::{
    PerTier, SHORT_RUN_TIMEOUT, after_last_expectation, completed, exact_answer, line_with,
    output_steps, plain_answer, still_answers,
};
use super::fuzz::{
    Damage, FuzzCase, FuzzRunner, Trial, changeable, damage, is_unreadable, statuses_without,
};
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::CheckContext;
use crate::fake_cli::{Script, Step};
use crate::outcome::{CheckOutcome, shorten, skip_if};
use crate::prepared_run::PreparedRun;
use crate::script_variants::before_each_line;

/// How many messages with one changed field are tested.
const CHANGED_FIELDS: PerTier = PerTier { brief: 12, fast: 30, full: 300, slow: 2_000 };
/// How many answers with random damage are tested.
const DAMAGES: PerTier = PerTier { brief: 8, fast: 60, full: 500, slow: 5_000 };
/// How many lines of an answer are damaged at most.
const DAMAGED_LINES: usize = 3;
/// How often each line of an answer is made unreadable.
const UNREADABLE: PerTier = PerTier { brief: 1, fast: 4, full: 20, slow: 100 };
/// How much is printed on stderr.
const STDERR_MEGABYTES: PerTier = PerTier { brief: 1, fast: 8, full: 50, slow: 200 };

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "ROB-01",
        "lines that are not JSON change nothing",
        "agent CLIs, their runtimes and their tools print warnings between their messages",
        Gate::cli_scenario("text"),
        garbage_lines,
    ),
    active(
        "ROB-02",
        "messages of an unknown type change nothing and are reported as `unmapped`",
        "every agent CLI gets new message types; an adapter that fails on them breaks every week",
        Gate::cli_scenario("unmapped"),
        unknown_types,
    ),
    active(
        "ROB-03",
        "bytes that are not valid UTF-8 affect at most the characters they are part of",
        "tools print binary data, and agent CLIs pass it on",
        Gate::cli_scenario("text"),
        broken_characters,
    ),
    active(
        "ROB-04",
        "a message with missing or wrongly typed fields neither hangs nor ends the adapter",
        "a renamed field must not fail the whole run",
        Gate::cli_scenario("tool_ok"),
        wrong_fields,
    ),
    active(
        "ROB-05",
        "random damage to the output neither hangs nor ends the adapter",
        "it is impossible to list every way in which output can be invalid",
        Gate::cli_scenario("text"),
        random_damage,
    ),
    active(
        "ROB-06",
        "a flood on stderr neither blocks the agent CLI nor changes the answer",
        "a pipe without a reader blocks the agent CLI forever",
        Gate::cli_scenario("text"),
        flood_on_stderr,
    ),
    active(
        "ROB-07",
        "a line that damage has made unreadable is ignored: the run ends as it would without the \
         line, and every rule of the stream holds",
        "half of a final message is not a final message; otherwise a truncated run looks complete",
        Gate::cli_scenario("text"),
        unreadable_line_is_ignored,
    ),
    active(
        "ROB-08",
        "an unknown message type is reported when it first occurs with count 1, and once more before \
         `done` with the total if it occurred again; each type is counted separately",
        "a flood of reports hides the answer, and a missing one hides that the agent CLI has changed",
        Gate::cli_scenario("unmapped"),
        unmapped::counted_by_type,
    ),
    active(
        "ROB-09",
        "what the agent CLI prints on stderr is never taken for its output",
        "agent CLIs and their tools print messages of other sessions on stderr",
        Gate::cli_scenario("text"),
        stderr_output::not_parsed,
    ),
];

fn garbage_lines(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
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
    let inserted = raw(format!("{}\n", lines.join("\n")).as_bytes());
    let mut prepared = context.prepare("text")?;
    prepared.script = before_each_line(&prepared.script, &inserted);
    let completed_run = context.execute(prepared)?;
    exact_answer(&completed_run, "run/start; lines that are not JSON between all messages")
}

fn unknown_types(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("unmapped")?;
    let sent = "run/start of the scenario unmapped";
    exact_answer(&completed_run, sent)?;
    let reported = completed_run
        .record
        .of_type("unmapped")
        .any(|received| received.value["nativeType"].as_str().is_some_and(|name| !name.is_empty()));
    let expected = "an `unmapped` event that names the unknown type";
    let got = format!("the events were: {}", shorten(&completed_run.record.summary(), 300));
    completed_run.record.ensure(reported, expected, got, sent)
}

fn broken_characters(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let inserted = raw(b"\xff\xfe\x80 not text \xc3\x28\xf0\x9f\x92\n");
    let mut prepared = context.prepare("text")?;
    prepared.script = before_each_line(&prepared.script, &inserted);
    let completed_run = context.execute(prepared)?;
    let sent = "run/start; lines of invalid UTF-8 between all messages";
    exact_answer(&completed_run, sent)?;

    let mut prepared = context.prepare("text")?;
    let damaged = prepared.values.deltas[0].trim_end().to_owned();
    let line = line_with(&prepared.script, &damaged)?;
    if let Step::Out { text, end } = &prepared.script.steps[line] {
        let (before, after) = text.split_once(damaged.as_str()).unwrap_or((text, ""));
        let bytes = [
            before.as_bytes(),
            damaged.as_bytes(),
            b"\xc3\x28\xff",
            after.as_bytes(),
            end.as_bytes(),
        ];
        prepared.script.steps[line] = raw(&bytes.concat());
    }
    let intact = prepared.values.deltas[1].clone();
    let completed_run = context.execute(prepared)?;
    let sent = "run/start; a text that contains invalid UTF-8";
    completed(&completed_run.record, sent)?;
    let expected = format!("the next piece {intact:?} arrives");
    let got = format!("{:?}", shorten(&completed_run.record.text(), 300));
    completed_run.record.ensure(completed_run.record.text().contains(&intact), expected, got, sent)
}

fn wrong_fields(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let prepared = context.prepare("tool_ok")?;
    let mut scripts = Vec::new();
    for index in output_steps(&prepared.script, after_last_expectation(&prepared.script)) {
        let Step::Out { text, end } = &prepared.script.steps[index] else { continue };
        for (change, text) in damaged_fields(text) {
            let mut script = prepared.script.clone();
            script.steps[index] = Step::Out { text, end: end.clone() };
            scripts.push((change, script));
        }
    }
    let wanted = CHANGED_FIELDS.of(context);
    let mut adapter = context.launch()?;
    while scripts.len() > wanted {
        let index = context.random().random_range(0..scripts.len());
        scripts.swap_remove(index);
    }
    for (change, script) in scripts {
        let sent = format!("run/start of tool_ok; in one message {change}");
        survives(context, &mut adapter, "tool_ok", script, &sent)?;
    }
    Ok(())
}

/// Returns variants of a message in which one member, nested ones included, is missing or has
/// another type.
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

fn random_damage(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut runner = FuzzRunner::new();
    for round in 0..DAMAGES.of(context) {
        let prepared = context.prepare("text")?;
        let mut lines = changeable(&prepared.script);
        let mut damages = Vec::new();
        for _ in 0..context.random().random_range(1..=DAMAGED_LINES).min(lines.len()) {
            let step = lines.swap_remove(context.random().random_range(0..lines.len()));
            let mut bytes = printed(&prepared.script.steps[step]);
            damage(context.random(), &mut bytes);
            damages.push(Damage { step, bytes });
        }
        let trial = Trial { limit: SHORT_RUN_TIMEOUT, expected_status: None };
        let fuzz_case = FuzzCase { prepared: &prepared, damages, round, trial };
        if let Some(finding) = runner.run_damaged(context, &prepared, fuzz_case.damaged(), trial)? {
            return Err(runner.minimized_failure(context, &fuzz_case, finding));
        }
    }
    Ok(())
}

/// Each line in turn is truncated in one round and damaged at random in the next.
fn unreadable_line_is_ignored(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut runner = FuzzRunner::new();
    let prepared = context.prepare("text")?;
    runner.run_undamaged(context, &prepared)?;
    let is_message = |step: &usize| !is_unreadable(&printed(&prepared.script.steps[*step]));
    let lines: Vec<usize> = changeable(&prepared.script).into_iter().filter(is_message).collect();
    skip_if(lines.is_empty(), "no line of this agent CLI is a JSON object")?;
    let expected_statuses = statuses_without(&mut runner, context, &prepared, &lines)?;
    let rounds = UNREADABLE.of(context) * lines.len();
    for (round, step) in lines.iter().cycle().take(rounds).enumerate() {
        let Some(status) = expected_statuses.get(step) else { continue };
        let mut bytes = printed(&prepared.script.steps[*step]);
        bytes.pop();
        match (round / lines.len()).is_multiple_of(2) {
            true => bytes.truncate(context.random().random_range(bytes.len() / 2..bytes.len())),
            false => damage(context.random(), &mut bytes),
        }
        bytes.push(b'\n');
        if !is_unreadable(&bytes) {
            continue;
        }
        let trial = Trial { limit: SHORT_RUN_TIMEOUT, expected_status: Some(*status) };
        let damages = vec![Damage { step: *step, bytes }];
        let fuzz_case = FuzzCase { prepared: &prepared, damages, round, trial };
        if let Some(finding) = runner.run_damaged(context, &prepared, fuzz_case.damaged(), trial)? {
            return Err(runner.minimized_failure(context, &fuzz_case, finding));
        }
    }
    Ok(())
}

/// Returns the bytes that a step prints, line end included.
fn printed(step: &Step) -> Vec<u8> {
    match step {
        Step::Out { text, end } => [text.as_bytes(), end.as_bytes()].concat(),
        _ => Vec::new(),
    }
}

fn flood_on_stderr(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let megabytes = STDERR_MEGABYTES.of(context);
    let text = format!("warning {} {}", context.nonce(), "x".repeat(990));
    let lines = (megabytes * 1000) as u64;
    let mut prepared = context.prepare("text")?;
    let last = output_steps(&prepared.script, 0).last().copied().unwrap_or(0);
    prepared.script.steps.insert(last, Step::Flood { stderr: true, lines, text });
    let completed_run = context.execute(prepared)?;
    let sent = format!("run/start; the agent CLI printed {megabytes} MB on stderr");
    exact_answer(&completed_run, &sent)
}

/// Fails unless the run ends in some way and the adapter is still alive.
fn survives(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    scenario: &str,
    script: Script,
    sent: &str,
) -> CheckOutcome {
    let mut prepared = PreparedRun { script, ..context.prepare(scenario)? };
    prepared.script.exit_after_last_step();
    adapter.begin(&prepared)?;
    let ended = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT);
    let is_running = adapter.is_running();
    adapter.ensure(is_running, "the adapter continues", "it has exited", sent)?;
    ended?;
    still_answers(adapter, sent)
}

fn raw(bytes: &[u8]) -> Step {
    Step::OutBytes { bytes: bytes.to_vec() }
}
