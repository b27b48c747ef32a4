//! ORD: the rules of the event stream. Four of them are watched over every run; the others need a
//! scenario that shows them.

use od_protocol::{Event, ToolStatus, Usage, UsageScope};
use serde_json::Value;

use super::expectations::{RUN_LIMIT, completed, failure, line_with};
use crate::bench::{Bench, Setup};
use crate::case::{Body, Check, Gate, Level, Tier, active};
use crate::derive::cut_after;
use crate::play::Performance;
use crate::plugin::RunRecord;
use crate::stand_in::Step;
use crate::verdict::{Finding, Verdict, shorten};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    invariant(
        "ORD-01",
        "every run has exactly one `done`, and nothing comes after it",
        "`done` is the only sign that a run is over; without it a host waits for ever",
    ),
    invariant(
        "ORD-02",
        "events are numbered from 0 without gaps, and the first is `run_started`",
        "a client that comes back asks for the events after a number",
    ),
    invariant(
        "ORD-03",
        "no event belongs to a run that was not started",
        "a host that runs many agents sorts events by run",
    ),
    active(
        "ORD-04",
        "every thought is started, told and stopped",
        "an interface folds a thought away when it stops",
        Gate::scenario("thinking").with_capability("thinking"),
        thoughts,
    ),
    active(
        "ORD-05",
        "a tool's result comes after its call, under the same id, with its output",
        "an interface shows the result where it showed the call",
        Gate::scenario("tool_ok").with_capability("tools"),
        tool_calls,
    ),
    active(
        "ORD-06",
        "a tool that fails has the status error, and the run goes on",
        "a failure that looks like success hides what the agent had to work around",
        Gate::scenario("tool_error").with_capability("tools"),
        failing_tool,
    ),
    active(
        "ORD-07",
        "a tool call without a result is closed before `done`, and not as a success",
        "an open call would spin in the interface for ever",
        Gate::cli_scenario("tool_ok").with_capability("tools"),
        open_tool,
    ),
    active(
        "ORD-08",
        "the usage of a run is told once, before `done`, as the agent CLI stated it; a price that \
         was not stated is null",
        "people pay by these figures; an unknown price is not a price of zero",
        Gate::scenario("usage").with_capability("usage"),
        usage,
    ),
    invariant(
        "ORD-09",
        "a failed run has a fatal `error` of the same kind before `done`; a completed run has none",
        "a host that retries or asks to log in again decides by the kind",
    ),
];

const fn invariant(id: &'static str, sentence: &'static str, why: &'static str) -> Check {
    let (level, gate, tier) = (Level::Must, Gate::NONE, Tier::Fast);
    Check { id, level, sentence, why, gate, tier, body: Body::Invariant }
}

fn thoughts(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("thinking")?;
    let record = &performance.record;
    let sent = "run/start of the scenario thinking";
    completed(record, sent)?;
    let count = |name: &str| record.of_type(name).count();
    let (started, told, stopped) =
        (count("thinking_started"), count("thinking_delta"), count("thinking_stopped"));
    if started == 0 || started != stopped || told == 0 {
        let expected = "at least one thought, each started, told and stopped";
        let got = format!("{started} started, {told} deltas, {stopped} stopped");
        return Err(failure(record, expected, got, sent));
    }
    if bench.suite.has_cli() && record.thinking() != performance.play.values.text("thinking") {
        let expected = format!("the thoughts {:?}", performance.play.values.text("thinking"));
        let got = format!("{:?}", shorten(&record.thinking(), 300));
        return Err(failure(record, expected, got, sent));
    }
    Ok(())
}

fn tool_calls(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("tool_ok")?;
    let sent = "run/start of the scenario tool_ok";
    completed(&performance.record, sent)?;
    let result = result_of_first_call(&performance.record, sent)?;
    if result["status"] != ToolStatus::Ok.as_str() {
        let got = format!("status {}", result["status"]);
        return Err(failure(&performance.record, "a `tool_result` with status ok", got, sent));
    }
    if bench.suite.has_cli() {
        let values = &performance.play.values;
        carries(&performance, "tool_call_ready", "input", &values.text("tool_command"), sent)?;
        carries(&performance, "tool_result", "output", &values.text("tool_output"), sent)?;
    }
    let has_parallel = bench.suite.pack.as_ref().is_some_and(|pack| pack.has("tool_parallel"));
    if has_parallel {
        parallel_calls(bench)?;
    }
    Ok(())
}

/// Two calls that are open at once each get their own result.
fn parallel_calls(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("tool_parallel")?;
    let sent = "run/start of the scenario tool_parallel";
    let record = &performance.record;
    completed(record, sent)?;
    let (calls, results) =
        (record.of_type("tool_call_started").count(), record.of_type("tool_result").count());
    if calls < 2 || results < 2 {
        let got = format!("{calls} calls and {results} results");
        return Err(failure(record, "two calls and two results", got, sent));
    }
    if bench.suite.has_cli() {
        for output in ["tool_output", "tool_output_2"] {
            carries(
                &performance,
                "tool_result",
                "output",
                &performance.play.values.text(output),
                sent,
            )?;
        }
    }
    Ok(())
}

fn failing_tool(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("tool_error")?;
    let sent = "run/start of the scenario tool_error";
    completed(&performance.record, sent)?;
    let result = result_of_first_call(&performance.record, sent)?;
    if result["status"] != ToolStatus::Error.as_str() {
        let got = format!("status {}", result["status"]);
        return Err(failure(&performance.record, "a `tool_result` with status error", got, sent));
    }
    Ok(())
}

fn open_tool(bench: &mut Bench) -> Verdict {
    let has_scenario = bench.suite.pack.as_ref().is_some_and(|pack| pack.has("tool_open"));
    if has_scenario {
        let performance = bench.shared_run("tool_open")?;
        closed_but_not_ok(&performance.record, "run/start of the scenario tool_open")?;
    }
    let mut play = bench.prepare("tool_ok")?;
    let result_line = line_with(&play.script, &play.values.text("tool_output"))?;
    let lines_before = super::expectations::output_steps(&play.script, 0)
        .into_iter()
        .filter(|index| *index < result_line)
        .count();
    play.script = cut_after(&play.script, lines_before, &[Step::Exit { code: 1 }]);
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.begin(&play)?;
    let record = plugin.finish(play.run_id(), RUN_LIMIT)?;
    closed_but_not_ok(&record, "run/start; the agent CLI exited inside a tool call")?;
    Ok(())
}

fn closed_but_not_ok(record: &RunRecord, sent: &str) -> Verdict {
    let result = result_of_first_call(record, sent)?;
    if result["status"] == ToolStatus::Ok.as_str() {
        let expected = "a `tool_result` with a status other than ok: nobody said that it worked";
        return Err(failure(record, expected, "status ok", sent));
    }
    Ok(())
}

fn usage(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("usage")?;
    let sent = "run/start of the scenario usage";
    let record = &performance.record;
    completed(record, sent)?;
    let told = usage_of_run(record, sent)?;
    if bench.suite.has_cli() {
        same_figures(bench, &performance, &told, sent)?;
    }
    let has_no_cost = bench.suite.pack.as_ref().is_some_and(|pack| pack.has("no_cost"));
    if has_no_cost {
        let performance = bench.shared_run("no_cost")?;
        let sent = "run/start of the scenario no_cost";
        let told = usage_of_run(&performance.record, sent)?;
        let totals = performance.record.done().and_then(|done| done.totals.cost_usd);
        if told.cost_usd.is_some() || totals.is_some() {
            let got = format!("costUsd {:?}, in done.totals {totals:?}", told.cost_usd);
            let expected = "costUsd null and no cost in done.totals: the agent CLI stated none";
            return Err(failure(&performance.record, expected, got, sent));
        }
    }
    Ok(())
}

/// The one usage of the whole run.
fn usage_of_run(record: &RunRecord, sent: &str) -> Result<Usage, Finding> {
    let told: Vec<Usage> = record
        .of_type("usage")
        .filter_map(|received| match received.event()? {
            Event::Usage(usage) if usage.scope == UsageScope::Run => Some(usage),
            _ => None,
        })
        .collect();
    match <[Usage; 1]>::try_from(told) {
        Ok([usage]) => Ok(usage),
        Err(told) => {
            let got = format!("{} of them", told.len());
            Err(failure(record, "one `usage` of scope run before `done`", got, sent))
        }
    }
}

fn same_figures(bench: &Bench, performance: &Performance, told: &Usage, sent: &str) -> Verdict {
    let values = &performance.play.values;
    let pack = bench.suite.pack.as_ref();
    let is_told = |name: &str| pack.is_some_and(|pack| pack.tells("usage", name));
    let pairs = [
        ("input_tokens", told.input_tokens, true),
        ("output_tokens", told.output_tokens, true),
        ("cache_read_tokens", told.cache_read_tokens, is_told("cache_read_tokens")),
        ("cache_write_tokens", told.cache_write_tokens, is_told("cache_write_tokens")),
    ];
    for (name, got, is_stated) in pairs {
        // A figure that the agent CLI does not state is none.
        let wanted = values.number(name).filter(|_| is_stated).unwrap_or_default();
        if wanted != got {
            let expected = format!("{name} {wanted}");
            return Err(failure(&performance.record, expected, format!("{got}"), sent));
        }
    }
    let stated = values.single.get("cost").and_then(Value::as_f64);
    let same_cost = match (stated, told.cost_usd) {
        (Some(stated), Some(got)) => (stated - got).abs() < 1e-9,
        _ => false,
    };
    if bench.suite.declares("usage.cost") && !same_cost {
        let got = format!("costUsd {:?}", told.cost_usd);
        return Err(failure(&performance.record, format!("costUsd {stated:?}"), got, sent));
    }
    Ok(())
}

/// The result of the run's first tool call.
fn result_of_first_call(record: &RunRecord, sent: &str) -> Result<Value, Finding> {
    let call = record.of_type("tool_call_started").next().ok_or_else(|| {
        let got = format!("the events were: {}", shorten(&record.summary(), 300));
        failure(record, "a `tool_call_started`", got, sent)
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
        failure(record, expected, format!("results: {others:?}"), sent)
    })
}

/// Some event of the type has the text in that member.
fn carries(performance: &Performance, name: &str, member: &str, text: &str, sent: &str) -> Verdict {
    let record = &performance.record;
    let found =
        record.of_type(name).any(|received| received.value[member].to_string().contains(text));
    if found {
        return Ok(());
    }
    let there: Vec<String> = record
        .of_type(name)
        .map(|received| shorten(&received.value[member].to_string(), 100))
        .collect();
    let expected = format!("a `{name}` whose {member} has {text:?}");
    Err(failure(record, expected, format!("{there:?}"), sent))
}
