//! ORD: the rules of the event stream. Four of them are invariants of every run; the others need a
//! scenario.

use od_protocol::ToolStatus;
use serde_json::Value;

use super::AdapterCheck;
use super::expectations::{SHORT_RUN_TIMEOUT, completed, line_with};
use super::usage::{same_numbers, usage_of_run};
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active, invariant};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding, shorten};
use crate::script_variants::cut_after;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "ORD-01",
        "every run has exactly one `done`, and no event follows it",
        "`done` is the only sign that a run has ended; without it a host waits forever",
        Gate::NONE,
    ),
    invariant(
        "ORD-02",
        "events are numbered from 0 without gaps, and the first event is `run_started`",
        "a client that reconnects requests the events after a given number",
        Gate::NONE,
    ),
    invariant(
        "ORD-03",
        "no event belongs to a run that was not started",
        "a host with many agents assigns events to runs",
        Gate::NONE,
    ),
    active(
        "ORD-04",
        "every thought is started, streamed and stopped",
        "an interface collapses a thought when it stops",
        Gate::scenario("thinking").with_capability("thinking"),
        thoughts,
    ),
    active(
        "ORD-05",
        "a tool's result follows its call, with the same id and with its output",
        "an interface displays the result next to the call",
        Gate::scenario("tool_ok").with_capability("tools"),
        tool_calls,
    ),
    active(
        "ORD-06",
        "a failing tool has the status error, and the run continues",
        "a failure that looks like a success hides what the agent had to work around",
        Gate::scenario("tool_error").with_capability("tools"),
        failing_tool,
    ),
    active(
        "ORD-07",
        "a tool call without a result is closed before `done`, and not as a success",
        "an open call would be displayed as running forever",
        Gate::cli_scenario("tool_ok").with_capability("tools"),
        open_tool,
    ),
    active(
        "ORD-08",
        "the usage of a run is reported once, before `done`, with the values of the agent CLI; an \
         unreported cost is null",
        "users pay by these numbers; an unknown cost is not a cost of zero",
        Gate::scenario("usage").with_capability("usage"),
        usage,
    ),
    invariant(
        "ORD-10",
        "within a tool call the input comes before the output and the result; ids of calls, \
         thoughts, turns, subagents and approvals are unique, and an id that refers to a call is \
         that of a call of the run",
        "clients build a tree of calls from these ids",
        Gate::NONE,
    ),
    invariant(
        "ORD-09",
        "a failed run has a fatal `error` of the same kind before `done`; a completed run has none",
        "a host uses the kind to decide whether to retry or to request a new login",
        Gate::NONE,
    ),
];

fn thoughts(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("thinking")?;
    let record = &completed_run.record;
    let sent = "run/start of the scenario thinking";
    completed(record, sent)?;
    let count = |name: &str| record.of_type(name).count();
    let (started, reported, stopped) =
        (count("thinking_started"), count("thinking_delta"), count("thinking_stopped"));
    if started == 0 || started != stopped || reported == 0 {
        let expected = "at least one thought, each started, streamed and stopped";
        let got = format!("{started} started, {reported} deltas, {stopped} stopped");
        return Err(record.failure(expected, got, sent));
    }
    if context.suite.has_cli()
        && record.thinking() != completed_run.prepared.values.text("thinking")
    {
        let expected = format!("the thoughts {:?}", completed_run.prepared.values.text("thinking"));
        let got = format!("{:?}", shorten(&record.thinking(), 300));
        return Err(record.failure(expected, got, sent));
    }
    Ok(())
}

fn tool_calls(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("tool_ok")?;
    let sent = "run/start of the scenario tool_ok";
    completed(&completed_run.record, sent)?;
    let result = result_of_first_call(&completed_run.record, sent)?;
    if result["status"] != ToolStatus::Ok.as_str() {
        let got = format!("status {}", result["status"]);
        return Err(completed_run.record.failure("a `tool_result` with status ok", got, sent));
    }
    if context.suite.has_cli() {
        let values = &completed_run.prepared.values;
        event_contains(
            &completed_run,
            "tool_call_ready",
            "input",
            &values.text("tool_command"),
            sent,
        )?;
        event_contains(&completed_run, "tool_result", "output", &values.text("tool_output"), sent)?;
    }
    if context.suite.has_scenario("tool_parallel") {
        parallel_calls(context)?;
    }
    Ok(())
}

/// Fails unless two open calls each get their own result.
fn parallel_calls(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("tool_parallel")?;
    let sent = "run/start of the scenario tool_parallel";
    let record = &completed_run.record;
    completed(record, sent)?;
    let (calls, results) =
        (record.of_type("tool_call_started").count(), record.of_type("tool_result").count());
    if calls < 2 || results < 2 {
        let got = format!("{calls} calls and {results} results");
        return Err(record.failure("two calls and two results", got, sent));
    }
    if context.suite.has_cli() {
        for output in ["tool_output", "tool_output_2"] {
            event_contains(
                &completed_run,
                "tool_result",
                "output",
                &completed_run.prepared.values.text(output),
                sent,
            )?;
        }
    }
    Ok(())
}

fn failing_tool(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("tool_error")?;
    let sent = "run/start of the scenario tool_error";
    completed(&completed_run.record, sent)?;
    let result = result_of_first_call(&completed_run.record, sent)?;
    if result["status"] != ToolStatus::Error.as_str() {
        let got = format!("status {}", result["status"]);
        return Err(completed_run.record.failure("a `tool_result` with status error", got, sent));
    }
    Ok(())
}

fn open_tool(context: &mut CheckContext) -> CheckOutcome {
    if context.suite.has_scenario("tool_open") {
        let completed_run = context.shared_run("tool_open")?;
        closed_without_success(&completed_run.record, "run/start of the scenario tool_open")?;
    }
    let mut prepared = context.prepare("tool_ok")?;
    let result_line = line_with(&prepared.script, &prepared.values.text("tool_output"))?;
    let lines_before = super::expectations::output_steps(&prepared.script, 0)
        .into_iter()
        .filter(|index| *index < result_line)
        .count();
    prepared.script = cut_after(&prepared.script, lines_before, &[Step::Exit { code: 1 }]);
    let mut adapter = context.launch()?;
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    closed_without_success(&record, "run/start; the agent CLI exited inside a tool call")?;
    Ok(())
}

fn closed_without_success(record: &RunRecord, sent: &str) -> CheckOutcome {
    let result = result_of_first_call(record, sent)?;
    let expected = "a `tool_result` with a status other than ok: no success was reported";
    record.ensure(result["status"] != ToolStatus::Ok.as_str(), expected, "status ok", sent)
}

fn usage(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("usage")?;
    let sent = "run/start of the scenario usage";
    let record = &completed_run.record;
    completed(record, sent)?;
    let reported = usage_of_run(record, sent)?;
    if context.suite.has_cli() {
        same_numbers(context, &completed_run, &reported, sent)?;
    }
    if context.suite.has_scenario("no_cost") {
        let completed_run = context.shared_run("no_cost")?;
        let sent = "run/start of the scenario no_cost";
        let reported = usage_of_run(&completed_run.record, sent)?;
        let totals = completed_run.record.done().and_then(|done| done.totals.cost_usd);
        if reported.cost_usd.is_some() || totals.is_some() {
            let got = format!("costUsd {:?}, in done.totals {totals:?}", reported.cost_usd);
            let expected = "costUsd null and no cost in done.totals: the agent CLI reported none";
            return Err(completed_run.record.failure(expected, got, sent));
        }
    }
    Ok(())
}

/// Returns the result of the first tool call of the run.
fn result_of_first_call(record: &RunRecord, sent: &str) -> Result<Value, Finding> {
    let call = record.of_type("tool_call_started").next().ok_or_else(|| {
        let got = format!("the events were: {}", shorten(&record.summary(), 300));
        record.failure("a `tool_call_started`", got, sent)
    })?;
    let id = &call.value["toolCallId"];
    let result = record
        .of_type("tool_result")
        .find(|result| result.value["toolCallId"] == *id && result.seq > call.seq);
    result.map(|result| result.value.clone()).ok_or_else(|| {
        let others: Vec<String> = record
            .of_type("tool_result")
            .map(|result| format!("{} at seq {}", result.value["toolCallId"], result.seq))
            .collect();
        let expected = format!("a `tool_result` of {id} after its call at seq {}", call.seq);
        record.failure(expected, format!("results: {others:?}"), sent)
    })
}

/// Fails unless an event of the type has the text in that member.
fn event_contains(
    completed_run: &CompletedRun,
    name: &str,
    member: &str,
    text: &str,
    sent: &str,
) -> CheckOutcome {
    let record = &completed_run.record;
    let found =
        record.of_type(name).any(|received| received.value[member].to_string().contains(text));
    if found {
        return Ok(());
    }
    let values_found: Vec<String> = record
        .of_type(name)
        .map(|received| shorten(&received.value[member].to_string(), 100))
        .collect();
    let expected = format!("a `{name}` whose {member} contains {text:?}");
    Err(record.failure(expected, format!("{values_found:?}"), sent))
}
