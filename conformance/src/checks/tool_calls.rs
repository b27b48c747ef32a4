//! TOL: tool calls by value: name, input, output, pairing, exit code, and when they are reported.

use std::time::Duration;

use od_protocol::ToolStatus;
use rand::RngExt;
use serde_json::Value;

use super::AdapterCheck;
use super::expectations::{SHORT_RUN_TIMEOUT, completed};
use super::native_output::{
    first_line_with, integers_in, json_with, last_line_with, mark_of, members_named, set_integer,
    texts_in,
};
use super::{forwarding, line_limit};
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::{Script, Step};
use crate::outcome::{CheckOutcome, Finding, shorten};
use crate::pack::Values;
use crate::script_variants::cut_after;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "TOL-01",
        "a tool call has the name, the input, the output and the status that the agent CLI reports \
         for it; a call without a result is closed as unknown or cancelled",
        "users approve and review calls by these values",
        Gate::cli_scenario("tool_ok").with_capability("tools"),
        values_of_calls,
    ),
    active(
        "TOL-02",
        "an event is emitted when the line that causes it is complete, not when the next part or \
         the end arrives",
        "a user sees what the agent does while it does it",
        Gate::cli_scenario("text"),
        forwarding::emitted_at_once,
    ),
    active(
        "TOL-03",
        "`exitCode` of a tool is the number that the agent CLI reports, and never 0 for a failure",
        "a failed test run that looks green hides the failure",
        Gate::cli_scenario("tool_error").with_capability("tools"),
        exit_codes,
    ),
    active(
        "TOL-04",
        "no line exceeds `limits.maxLineBytes`; a shortened payload is cut between characters and \
         states the removed bytes, and nothing else is shortened",
        "a host discards longer lines, and a user must know that something is missing",
        Gate::cli_scenario("text"),
        line_limit::lines_fit,
    ),
];

/// Members of native messages that name a tool.
const NAME_MEMBERS: &[&str] = &["name", "tool", "toolName", "tool_name"];

/// Members of native messages that contain an exit code.
const EXIT_MEMBERS: &[&str] = &["exitCode", "exit_code", "exit", "code"];

/// How long a call may take to arrive that the agent CLI has already printed.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
const GATE: &str = "continue";

fn values_of_calls(context: &mut CheckContext) -> CheckOutcome {
    let plain = context.shared_run("tool_ok")?;
    one_call(&plain, ToolStatus::Ok)?;
    if context.suite.has_scenario("tool_error") {
        let failing = context.shared_run("tool_error")?;
        one_call(&failing, ToolStatus::Error)?;
        same_kind(&plain, &failing)?;
    }
    if context.suite.has_scenario("tool_parallel") {
        let parallel = context.shared_run("tool_parallel")?;
        two_calls(&parallel)?;
    }
    if context.suite.has_scenario("tool_open") {
        let open = context.shared_run("tool_open")?;
        let sent = "run/start of the scenario tool_open";
        closed_as(&open.record, ToolStatus::Unknown, sent)?;
    }
    open_at_the_end(context)
}

/// Fails unless the run has one call with the printed values.
fn one_call(completed_run: &CompletedRun, status: ToolStatus) -> CheckOutcome {
    let CompletedRun { prepared, record, .. } = completed_run;
    let sent = format!("run/start of the scenario {}", prepared.scenario);
    completed(record, &sent)?;
    let values = &prepared.values;
    let started: Vec<&Value> = record.of_type("tool_call_started").map(|it| &it.value).collect();
    let [started] = started.as_slice() else {
        let got = format!("{} calls", started.len());
        return Err(record.failure("one `tool_call_started`", got, sent));
    };
    let id = &started["toolCallId"];
    right_name(record, started, &prepared.script, values, "tool_id", &sent)?;
    right_input(record, id, &prepared.script, &values.text("tool_command"), &sent)?;
    right_output(record, id, &values.text("tool_output"), &sent)?;
    let result = event_of(record, "tool_result", id, &sent)?;
    let got = format!("status {}", result["status"]);
    record.ensure(result["status"] == status.as_str(), format!("status {status}"), got, &sent)
}

/// Fails unless the name is one that the agent CLI printed for the call. An agent CLI that prints
/// no name leaves it to the adapter.
fn right_name(
    record: &RunRecord,
    started: &Value,
    script: &Script,
    values: &Values,
    id: &str,
    sent: &str,
) -> CheckOutcome {
    let name = started["name"].as_str().unwrap_or_default();
    let native = json_with(script, &values.text(id));
    let names: Vec<&str> = native
        .iter()
        .flat_map(|line| members_named(line, NAME_MEMBERS))
        .filter_map(Value::as_str)
        .collect();
    let is_word = |printed: &&str| {
        let is_separator = |character: char| !character.is_alphanumeric() && character != '_';
        *printed == name
            || printed.split(is_separator).any(|word| word == name)
            || printed.split("__").any(|word| word == name)
    };
    let is_right = !name.trim().is_empty() && (names.is_empty() || names.iter().any(is_word));
    record.ensure(is_right, format!("one of the names {names:?}"), format!("name {name:?}"), sent)
}

/// Fails unless the input contains exactly the command, if the agent CLI printed it before the
/// result.
fn right_input(
    record: &RunRecord,
    id: &Value,
    script: &Script,
    command: &str,
    sent: &str,
) -> CheckOutcome {
    if first_line_with(script, &[command.to_owned()]).is_none() {
        return Ok(());
    }
    let input = event_of(record, "tool_call_ready", id, sent)?["input"].clone();
    let is_right = texts_in(&input).into_iter().any(|text| text == command);
    let expected = format!("an input of {id} with exactly the text {command:?}");
    record.ensure(is_right && input.is_object(), expected, input.to_string(), sent)?;
    let deltas = record.of_type("tool_input_delta").filter(|it| it.value["toolCallId"] == *id);
    let text: String = deltas.filter_map(|it| it.value["text"].as_str()).collect();
    // A pack may print only the start of the JSON.
    let restated = serde_json::from_str::<Value>(&text).ok();
    let expected = format!("`tool_input_delta` texts that are the JSON of the input {input}");
    record.ensure(restated.is_none_or(|restated| restated == input), expected, text, sent)
}

/// Fails unless the result contains the output, and the deltas only parts of it.
fn right_output(record: &RunRecord, id: &Value, output: &str, sent: &str) -> CheckOutcome {
    let result = event_of(record, "tool_result", id, sent)?["output"].clone();
    let texts = texts_in(&result);
    let expected = format!("an output of {id} with {output:?}");
    let is_right = texts.iter().any(|text| text.contains(output));
    record.ensure(is_right, expected, result.to_string(), sent)?;
    let deltas = record.of_type("tool_output_delta").filter(|it| it.value["toolCallId"] == *id);
    let text: String = deltas.filter_map(|it| it.value["text"].as_str()).collect();
    let is_part = texts.iter().any(|whole| whole.contains(&text));
    let expected = "`tool_output_delta` texts that are together a part of the output";
    record.ensure(is_part, expected, format!("{text:?}"), sent)
}

fn same_kind(one: &CompletedRun, other: &CompletedRun) -> CheckOutcome {
    let kind = |run: &CompletedRun| {
        run.record.of_type("tool_call_started").next().map(|it| it.value["kind"].clone())
    };
    let (first, second) = (kind(one), kind(other));
    let expected = format!("the kind {first:?}, as for the same tool before");
    let sent = "run/start of the scenarios tool_ok and tool_error";
    other.record.ensure(first == second, expected, format!("{second:?}"), sent)
}

/// Fails unless each of two calls has its own name, input and output.
fn two_calls(completed_run: &CompletedRun) -> CheckOutcome {
    let CompletedRun { prepared, record, .. } = completed_run;
    let (script, values) = (&prepared.script, &prepared.values);
    let sent = "run/start of the scenario tool_parallel";
    completed(record, sent)?;
    let started: Vec<&Value> = record.of_type("tool_call_started").map(|it| &it.value).collect();
    // An adapter may use ids of its own; then the calls have the order of the native lines.
    let mut names = [("tool_id", "tool_output"), ("tool_id_2", "tool_output_2")];
    names.sort_by_key(|(id, _)| first_line_with(script, &[values.text(id)]));
    for (index, (id, output)) in names.into_iter().enumerate() {
        let native = values.text(id);
        let by_id = started.iter().find(|call| call["toolCallId"] == native.as_str());
        let Some(call) = by_id.or_else(|| started.get(index)) else {
            return Err(record.failure("two calls", format!("{} calls", started.len()), sent));
        };
        right_name(record, call, script, values, id, sent)?;
        right_output(record, &call["toolCallId"], &values.text(output), sent)?;
        let others = names.iter().filter(|(_, other)| *other != output);
        let foreign = mark_of(&values.text(others.map(|(_, other)| *other).next().unwrap_or("")));
        let result = event_of(record, "tool_result", &call["toolCallId"], sent)?;
        let is_own = !result["output"].to_string().contains(&foreign);
        record.ensure(
            is_own,
            format!("only its own output for {native}"),
            result.to_string(),
            sent,
        )?;
    }
    let inputs = record.of_type("tool_call_ready").map(|it| &it.value["input"]);
    let command = values.text("tool_command");
    let is_right = inputs.flat_map(texts_in).any(|text| text == command);
    record.ensure(is_right, format!("an input with {command:?}"), record.summary(), sent)
}

/// Fails unless a call that is open when the run fails or is cancelled is closed accordingly.
fn open_at_the_end(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let mut prepared = context.prepare("tool_ok")?;
    let Some(result_line) =
        first_line_with(&prepared.script, &[prepared.values.text("tool_output")])
    else {
        return Ok(());
    };
    let is_output = |step: &&Step| matches!(step, Step::Out { .. });
    let lines = prepared.script.steps[..result_line].iter().filter(is_output).count();
    prepared.script = cut_after(&prepared.script, lines, &[Step::Exit { code: 1 }]);
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let sent = "run/start; the agent CLI exited with 1 inside a tool call";
    closed_as(&record, ToolStatus::Unknown, sent)?;
    let mut prepared = context.prepare("tool_ok")?;
    prepared.script.steps.insert(result_line, Step::Gate { name: GATE.to_owned() });
    adapter.begin(&prepared)?;
    let run_id = prepared.run_id().to_owned();
    adapter.wait_event(&run_id, CALL_TIMEOUT, "a `tool_call_started`", |received| {
        received.type_name() == "tool_call_started"
    })?;
    adapter.cancel(&run_id)?;
    let record = adapter.finish(&run_id, SHORT_RUN_TIMEOUT)?;
    closed_as(&record, ToolStatus::Cancelled, "run/cancel inside a tool call")
}

fn closed_as(record: &RunRecord, status: ToolStatus, sent: &str) -> CheckOutcome {
    let Some(call) = record.of_type("tool_call_started").next() else {
        return Err(record.failure("a `tool_call_started`", record.summary(), sent));
    };
    let result = event_of(record, "tool_result", &call.value["toolCallId"], sent)?;
    let expected =
        format!("a `tool_result` with status {status}: the agent CLI reported no result");
    record.ensure(result["status"] == status.as_str(), expected, result.to_string(), sent)
}

fn exit_codes(context: &mut CheckContext) -> CheckOutcome {
    for scenario in ["tool_ok", "tool_error"] {
        if context.suite.has_scenario(scenario) {
            let completed_run = context.shared_run(scenario)?;
            printed_exit_code(&completed_run)?;
        }
    }
    let reported = context.shared_run("tool_error")?;
    if exit_code(&reported.record).is_none() {
        return Ok(());
    }
    let mut prepared = context.prepare("tool_error")?;
    let code = context.random().random_range(2..120_i64);
    let Some(index) = last_line_with(&prepared.script, &prepared.values.text("tool_output")) else {
        return Ok(());
    };
    let Step::Out { text, .. } = &mut prepared.script.steps[index] else { return Ok(()) };
    let Ok(mut line) = serde_json::from_str::<Value>(text) else { return Ok(()) };
    if !set_integer(&mut line, EXIT_MEMBERS, code) {
        return Ok(());
    }
    *text = line.to_string();
    let completed_run = context.execute(prepared)?;
    let sent = format!("run/start; the agent CLI reported exit code {code} for a command");
    let got = exit_code(&completed_run.record);
    let expected = format!("a `tool_result` with exitCode {code}");
    completed_run.record.ensure(got == Some(code), expected, format!("{got:?}"), &sent)
}

/// Fails unless a reported exit code was printed for the call; a success may be stated in words.
fn printed_exit_code(completed_run: &CompletedRun) -> CheckOutcome {
    let CompletedRun { prepared, record, .. } = completed_run;
    let Some(code) = exit_code(record) else { return Ok(()) };
    let native = json_with(&prepared.script, &prepared.values.text("tool_id"));
    let printed: Vec<i64> = native.iter().flat_map(integers_in).collect();
    let is_failure = prepared.scenario == "tool_error";
    let is_right = if code == 0 { !is_failure } else { printed.contains(&code) };
    let sent = format!("run/start of the scenario {}", prepared.scenario);
    let expected = match is_failure {
        true => "an exitCode that the agent CLI printed, not 0, or none",
        false => "exitCode 0, one that the agent CLI printed, or none",
    };
    record.ensure(is_right, expected, format!("exitCode {code}"), sent)
}

fn exit_code(record: &RunRecord) -> Option<i64> {
    record.of_type("tool_result").find_map(|result| result.value["exitCode"].as_i64())
}

/// Returns the event of this type for a call.
fn event_of<'a>(
    record: &'a RunRecord,
    name: &'static str,
    id: &Value,
    sent: &str,
) -> Result<&'a Value, Finding> {
    let found = record.of_type(name).find(|received| received.value["toolCallId"] == *id);
    found.map(|received| &received.value).ok_or_else(|| {
        let got = format!("the events were: {}", shorten(&record.summary(), 300));
        record.failure(format!("a `{name}` of {id}"), got, sent)
    })
}
