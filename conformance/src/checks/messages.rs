//! MSG, TXT: messages of the agent and their text, byte for byte.

use std::time::Duration;

use od_protocol::DoneStatus;

use super::AdapterCheck;
use super::expectations::{
    SHORT_RUN_TIMEOUT, after_last_expectation, completed, describe_end, exact_answer, plain_answer,
    same_text,
};
use super::native_output::{first_answer_line, last_line_with, lines, mark_of, prints_on_stdout};
use super::text_samples;
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active, invariant};
use crate::context::{CheckContext, CompletedRun, execute_on};
use crate::fake_cli::{Script, Step};
use crate::outcome::{CheckOutcome, Finding, shorten, skip_if};
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "MSG-01",
        "each message has an id of its own, starts once, contains its deltas, and is stopped or \
         discarded before `done`",
        "an interface shows one block per message and closes it when the message stops",
        Gate::NONE,
    ),
    active(
        "TXT-01",
        "text, thoughts, and the input and output of tools arrive byte for byte: no normalisation, \
         no trimming, no change of line ends, no decoding",
        "code, patches and file names change their meaning with a single byte",
        Gate::cli_scenario("text"),
        text_samples::byte_for_byte,
    ),
    active(
        "TXT-02",
        "a pause inside a line, inside a character or before a line feed does not end the line",
        "agent CLIs print while the model generates, and a busy machine pauses anywhere",
        Gate::cli_scenario("text"),
        pauses,
    ),
    active(
        "TXT-03",
        "the text of a run is exactly the answer, without thoughts, output of tools or status",
        "users copy and save this text",
        Gate::cli_scenario("text"),
        only_the_answer,
    ),
    active(
        "TXT-04",
        "a run with text before and after a tool call reports each text where it occurred, and no \
         two messages have the same id",
        "an interface displays a run in its order",
        Gate::cli_scenario("tool_ok").with_capability("tools"),
        text_around_a_call,
    ),
];

/// How long the agent CLI pauses.
const PAUSE: Duration = Duration::from_millis(1300);

/// Scenarios that end with the plain answer.
const SCENARIOS: &[&str] = &[
    "text",
    "thinking",
    "tool_ok",
    "tool_error",
    "tool_parallel",
    "tool_open",
    "file_write",
    "file_delete",
    "file_rename",
    "usage",
    "no_cost",
    "unmapped",
    "subagent",
    "resume",
    "fork",
];

fn pauses(context: &mut CheckContext) -> CheckOutcome {
    let plain = plain_answer(context)?;
    let mut prepared = context.prepare("text")?;
    skip_if(!prints_on_stdout(&prepared.script), "the agent CLI prints nothing on stdout")?;
    let pieces = prepared.values.deltas.clone();
    let ways: [fn(&str) -> Vec<Step>; 3] = [inside_line, inside_character, before_line_feed];
    for (piece, way) in pieces.iter().zip(ways) {
        pause_at(&mut prepared.script, &mark_of(piece), way)?;
    }
    let mut adapter = context.launch()?;
    let completed_run = execute_on(&mut adapter, prepared)?;
    let sent = "run/start; the agent CLI paused inside a line, inside a character and before a \
                line feed";
    exact_answer(&completed_run, sent)?;
    let count =
        |record: &RunRecord| record.of_type("unmapped").count() + record.of_type("error").count();
    let (before, now) = (count(&plain.record), count(&completed_run.record));
    let expected = format!("{before} `unmapped` and `error`, as without the pauses");
    completed_run.record.ensure(now == before, expected, format!("{now}"), sent)
}

/// Replaces the first line with the mark by steps that pause inside it.
fn pause_at(script: &mut Script, mark: &str, way: fn(&str) -> Vec<Step>) -> CheckOutcome {
    let from = after_last_expectation(script);
    let found = lines(script)
        .find(|(index, line)| *index >= from && line.contains(mark) && !line.contains("{{"));
    let Some((index, line)) = found.map(|(index, line)| (index, line.to_owned())) else {
        return Err(Finding::Untestable(format!(
            "no line of the scenario's steps prints {mark:?}"
        )));
    };
    script.steps.splice(index..=index, way(&line));
    Ok(())
}

fn inside_line(line: &str) -> Vec<Step> {
    let middle = (0..=line.len() / 2).rev().find(|at| line.is_char_boundary(*at));
    split_at(line, middle.unwrap_or(0))
}

/// Splits after the first byte of the first character that has several.
fn inside_character(line: &str) -> Vec<Step> {
    let start = line.char_indices().find(|(_, character)| character.len_utf8() > 1);
    split_at(line, start.map_or(1, |(index, _)| index + 1))
}

fn before_line_feed(line: &str) -> Vec<Step> {
    split_at(line, line.len())
}

fn split_at(line: &str, at: usize) -> Vec<Step> {
    let (start, end) = line.as_bytes().split_at(at.min(line.len()));
    let pause = u64::try_from(PAUSE.as_millis()).unwrap_or(u64::MAX);
    vec![
        Step::OutBytes { bytes: start.to_vec() },
        Step::Sleep { ms: pause },
        Step::OutBytes { bytes: [end, b"\n"].concat() },
    ]
}

fn only_the_answer(context: &mut CheckContext) -> CheckOutcome {
    for scenario in SCENARIOS {
        let is_declared =
            !matches!(*scenario, "resume" | "fork") || context.suite.declares(scenario);
        if is_declared && context.suite.has_scenario(scenario) {
            let completed_run = context.shared_run(scenario)?;
            separate_texts(&completed_run)?;
        }
    }
    Ok(())
}

/// Fails unless the text of the run is the answer, and the thoughts are those that were printed.
fn separate_texts(completed_run: &CompletedRun) -> CheckOutcome {
    let CompletedRun { prepared, record, .. } = completed_run;
    let PreparedRun { scenario, values, script, .. } = prepared;
    let sent = format!("run/start of the scenario {scenario}");
    let prints = |text: &str| last_line_with(script, text).is_some();
    if record.done().is_none_or(|done| done.status != DoneStatus::Completed)
        || !values.deltas.iter().all(|piece| prints(piece))
    {
        return Ok(());
    }
    let (answer, second) = (values.text("text"), values.text("second_text"));
    let text = record.text();
    // A subagent or a later turn prints the second text; only the adapter knows whose it is.
    if text != answer && !(prints(&second) && text == format!("{answer}{second}")) {
        same_text(record, &answer, &sent)?;
    }
    let thoughts = record.thinking();
    let is_printed = values.thinking_deltas.iter().all(|piece| prints(piece));
    if is_printed && !thoughts.is_empty() && thoughts != values.text("thinking") {
        let expected = format!("exactly the thoughts {:?}", values.text("thinking"));
        return Err(record.failure(expected, format!("{:?}", shorten(&thoughts, 300)), &sent));
    }
    let foreign = values.deltas.iter().cloned().chain([values.text("tool_output")]);
    let foreign = foreign.map(|text| mark_of(&text)).find(|mark| thoughts.contains(mark));
    let got = format!("{foreign:?} of the answer or of a tool in the thoughts");
    record.ensure(foreign.is_none(), "thoughts without text of others", got, &sent)
}

fn text_around_a_call(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let prepared = context.prepare("tool_ok")?;
    let Some((first, last)) = call_lines(&prepared) else {
        return Err(Finding::Skip("the call and the answer are printed together".to_owned()));
    };
    skip_if(
        first < after_last_expectation(&prepared.script),
        "the agent CLI waits for input between the call and the answer",
    )?;
    let (before, prepared) = splice_answer(context, prepared, first, last)?;
    let after = prepared.values.text("text");
    let mut adapter = context.launch()?;
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let sent = "run/start; the agent CLI printed an answer, a tool call and another answer";
    let text = record.text();
    let has_all = text.contains(&before) && text.contains(&after);
    let ids: Vec<&serde_json::Value> =
        record.of_type("message_started").map(|it| &it.value["messageId"]).collect();
    let is_repeated = ids.iter().enumerate().any(|(index, id)| ids[..index].contains(id));
    record.ensure(!is_repeated, "messages with different ids", format!("{ids:?}"), sent)?;
    if !has_all || completed(&record, sent).is_err() {
        // The changed output may not be legal for this agent CLI. But a run that completes after the
        // call has the text that follows it, as in the unchanged scenario.
        let has_result = record.position("tool_result").is_some();
        let is_lost = completed(&record, sent).is_ok() && has_result && !text.contains(&after);
        let got = format!("{:?}; {}", shorten(&text, 300), describe_end(&record));
        return record.ensure(!is_lost, format!("the text {after:?} after the call"), got, sent);
    }
    same_text(&record, &format!("{before}{after}"), sent)?;
    in_order(&record, &before, sent)
}

/// Returns the first and the last line of the call, which end before the answer.
fn call_lines(prepared: &PreparedRun) -> Option<(usize, usize)> {
    let PreparedRun { script, values, .. } = prepared;
    let (tool_id, message_id) = (values.text("tool_id"), values.text("message_id"));
    let answer = first_answer_line(script, values)?;
    let own = |line: &str| line.contains(&tool_id) || line.contains(&message_id);
    let first = lines(script).find(|(_, line)| own(line)).map(|(index, _)| index)?;
    let last = last_line_with(script, &tool_id)?;
    (first <= last && last < answer).then_some((first, last))
}

/// Inserts the steps of another answer before the call; returns its text.
fn splice_answer(
    context: &mut CheckContext,
    mut prepared: PreparedRun,
    first: usize,
    last: usize,
) -> Result<(String, PreparedRun), Finding> {
    let mut other = prepared.values.clone();
    other.deltas = (0..prepared.values.deltas.len())
        .map(|index| format!("Before the call {index} {} ", context.nonce()))
        .collect();
    let text = other.deltas.concat();
    other.set("text", text.clone());
    for name in ["message_id", "uuid"] {
        other.set(name, format!("{name}-{}", context.nonce()));
    }
    let script = context.suite.script("tool_ok", &other)?;
    let end = lines(&script).map(|(index, _)| index).last().unwrap_or(last);
    let answer: Vec<Step> = script.steps[last + 1..end].to_vec();
    prepared.script.steps.splice(first..first, answer);
    Ok((text, prepared))
}

/// Fails unless the first text comes before the call and no part of it after.
fn in_order(record: &RunRecord, before: &str, sent: &str) -> CheckOutcome {
    let Some(call) = record.position("tool_call_started") else {
        return Err(record.failure("a `tool_call_started`", record.summary(), sent));
    };
    let early: String = record.events[..call]
        .iter()
        .filter(|received| received.type_name() == "text_delta")
        .filter_map(|received| received.value["text"].as_str())
        .collect();
    let expected = format!("exactly {before:?} before the `tool_call_started`");
    record.ensure(early == before, expected, format!("{early:?}"), sent)
}
