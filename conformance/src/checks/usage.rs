//! USE: the usage of a run covers this run, and its numbers add up.

use std::time::Duration;

use od_protocol::{DoneStatus, Event, Usage, UsageScope};
use rand::RngExt;
use serde_json::Value;

use super::AdapterCheck;
use super::expectations::{SHORT_RUN_TIMEOUT, after_last_expectation, completed};
use super::native_output::lines;
use crate::adapter_client::{AdapterClient, RunRecord};
use crate::check::{Gate, active, invariant};
use crate::context::{CheckContext, CompletedRun, execute_on};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding, shorten};
use crate::pack::Values;
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "USE-01",
        "`totalTokens` of every `usage` is the sum of input, output, cache read and cache write \
         tokens",
        "budgets are computed with the total",
        Gate::NONE,
    ),
    active(
        "USE-02",
        "the usage of a run is that of this run only, also after other runs; a zero stays a zero, \
         and what was reported before a cancel or a crash is not lost",
        "users pay by these numbers, and hosts add them up",
        Gate::cli_scenario("usage").with_capability("usage"),
        usage_per_run,
    ),
];

const GATE: &str = "continue";

/// How long an adapter may take to read a line that the agent CLI has printed.
const READ_DELAY: Duration = Duration::from_millis(500);

fn usage_per_run(context: &mut CheckContext) -> CheckOutcome {
    let plain = runs_without_history(context)?;
    let mut adapter = context.launch()?;
    for sent in ["run/start of the scenario usage", "run/start of the scenario usage, again"] {
        let prepared = with_numbers(context, |_| {})?;
        exact_usage(context, &mut adapter, prepared, sent)?;
    }
    for (scenario, expected) in plain {
        let completed_run = run_scenario(context, &mut adapter, scenario)?;
        let sent = format!("run/start of the scenario {scenario} after two runs with usage");
        let got = numbers(&completed_run.record);
        let wanted = format!("the usage {expected:?}, as in a new process");
        let is_same = match prints_numbers(context, scenario) {
            true => {
                let reported = usage_of_run(&completed_run.record, &sent)?;
                same_numbers(context, &completed_run, &reported, &sent).is_ok()
            }
            false => got == expected,
        };
        completed_run.record.ensure(is_same, wanted, format!("{got:?}"), &sent)?;
    }
    zeros(context, &mut adapter)?;
    for ends_by_cancel in [true, false] {
        kept_at_the_end(context, &mut adapter, ends_by_cancel)?;
    }
    Ok(())
}

/// Returns the usage of scenarios in a process without earlier runs.
fn runs_without_history(
    context: &mut CheckContext,
) -> Result<Vec<(&'static str, Vec<Value>)>, Finding> {
    let mut found = Vec::new();
    for scenario in ["text", "resume"] {
        let is_declared = scenario == "text" || context.suite.declares(scenario);
        if context.suite.has_scenario(scenario) && is_declared {
            let mut adapter = context.launch()?;
            let completed_run = run_scenario(context, &mut adapter, scenario)?;
            found.push((scenario, numbers(&completed_run.record)));
        }
    }
    Ok(found)
}

fn run_scenario(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    scenario: &str,
) -> Result<CompletedRun, Finding> {
    let mut prepared = context.prepare(scenario)?;
    if scenario == "resume" {
        let id = Some(prepared.values.text("session_id"));
        prepared.request.session =
            od_protocol::SessionChoice { mode: od_protocol::SessionMode::Resume, id };
    }
    let completed_run = execute_on(adapter, prepared)?;
    completed(&completed_run.record, &format!("run/start of the scenario {scenario}"))?;
    Ok(completed_run)
}

fn prints_numbers(context: &CheckContext, scenario: &str) -> bool {
    let names = ["input_tokens", "prompt_tokens", "sent_tokens"];
    let pack = context.suite.pack.as_ref();
    pack.is_some_and(|pack| names.iter().any(|name| pack.prints_value(scenario, name)))
}

/// Returns the numbers of every usage of scope run.
fn numbers(record: &RunRecord) -> Vec<Value> {
    let members = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "costUsd"];
    let of_run = record.of_type("usage").filter(|received| received.value["scope"] == "run");
    of_run.flat_map(|received| members.map(|member| received.value[member].clone())).collect()
}

/// Prepares the scenario usage with large numbers, which the change may replace.
fn with_numbers(
    context: &mut CheckContext,
    change: impl FnOnce(&mut Values),
) -> Result<PreparedRun, Finding> {
    let mut prepared = context.prepare("usage")?;
    for name in ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] {
        let number = context.random().random_range(100_000..9_000_000_u64);
        prepared.values.set(name, number);
    }
    change(&mut prepared.values);
    let values = &mut prepared.values;
    let [input, output, read, write] =
        ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]
            .map(|name| values.number(name).unwrap_or_default());
    values.set("prompt_tokens", input + read + write);
    values.set("sent_tokens", input + read);
    values.set("sum_tokens", input + read + output);
    prepared.script = context.suite.script("usage", values)?;
    Ok(prepared)
}

fn exact_usage(
    context: &CheckContext,
    adapter: &mut AdapterClient,
    prepared: PreparedRun,
    sent: &str,
) -> CheckOutcome {
    let completed_run = execute_on(adapter, prepared)?;
    completed(&completed_run.record, sent)?;
    let reported = usage_of_run(&completed_run.record, sent)?;
    same_numbers(context, &completed_run, &reported, sent)
}

/// Numbers of zero, and a cost of zero, are reported as such.
fn zeros(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let prepared = with_numbers(context, |values| {
        values.set("cache_read_tokens", 0);
        values.set("cache_write_tokens", 0);
        values.set("cost", 0.0);
    })?;
    exact_usage(context, adapter, prepared, "run/start; no cached tokens and no cost")?;
    let prepared = with_numbers(context, |values| {
        values.set("input_tokens", 0);
        values.set("output_tokens", 0);
    })?;
    exact_usage(context, adapter, prepared, "run/start; no input and no output tokens")
}

/// Numbers that were printed before the run was cancelled or failed are reported.
fn kept_at_the_end(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    ends_by_cancel: bool,
) -> CheckOutcome {
    let mut prepared = with_numbers(context, |_| {})?;
    let output = prepared.values.text("output_tokens");
    let printed: Vec<usize> = lines(&prepared.script).map(|(index, _)| index).collect();
    let found = lines(&prepared.script).find(|(_, line)| line.contains(&output));
    let Some(line) = found.map(|(index, _)| index) else { return Ok(()) };
    // The last line may be the final message, which a cancelled or failed run does not have.
    if printed.last() == Some(&line) || line < after_last_expectation(&prepared.script) {
        return Ok(());
    }
    let gate = format!("{GATE}-{}", prepared.run_id());
    let ending = match ends_by_cancel {
        true => vec![Step::Gate { name: gate.clone() }],
        false => vec![Step::Sleep { ms: 200 }, Step::Exit { code: 1 }],
    };
    prepared.script.steps.splice(line + 1.., ending);
    adapter.begin(&prepared)?;
    let sent = match ends_by_cancel {
        true => "run/cancel after the agent CLI reported its usage",
        false => "run/start; the agent CLI reported its usage and exited with 1",
    };
    if ends_by_cancel {
        let limit = adapter.limit(SHORT_RUN_TIMEOUT);
        adapter.fake_cli.wait_until(limit, |seen| seen.iter().any(|it| it.gates.contains(&gate)));
        // The line must reach the adapter before the cancel does.
        adapter.listen(READ_DELAY);
        adapter.cancel(prepared.run_id())?;
    }
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    if record.done().is_some_and(|done| done.status == DoneStatus::Completed) {
        // The numbers are part of the final message.
        return Ok(());
    }
    let number = prepared.values.number("output_tokens");
    let is_kept = record.of_type("usage").any(|it| it.value["outputTokens"].as_u64() == number);
    let expected = format!("a `usage` with outputTokens {output} before `done`");
    record.ensure(is_kept, expected, shorten(&record.summary(), 300), sent)
}

/// Returns the only usage of scope run.
pub(super) fn usage_of_run(record: &RunRecord, sent: &str) -> Result<Usage, Finding> {
    let reported: Vec<Usage> = record
        .of_type("usage")
        .filter_map(|received| match received.event()? {
            Event::Usage(usage) if usage.scope == UsageScope::Run => Some(usage),
            _ => None,
        })
        .collect();
    match <[Usage; 1]>::try_from(reported) {
        Ok([usage]) => Ok(usage),
        Err(reported) => {
            let got = format!("{} events", reported.len());
            Err(record.failure("one `usage` of scope run before `done`", got, sent))
        }
    }
}

/// Fails unless the numbers are those that the agent CLI printed.
pub(super) fn same_numbers(
    context: &CheckContext,
    completed_run: &CompletedRun,
    reported: &Usage,
    sent: &str,
) -> CheckOutcome {
    let values = &completed_run.prepared.values;
    let pack = context.suite.pack.as_ref();
    let scenario = completed_run.prepared.scenario.as_str();
    let is_printed = |name: &str| pack.is_some_and(|pack| pack.prints_value(scenario, name));
    let pairs = [
        ("input_tokens", reported.input_tokens, true),
        ("output_tokens", reported.output_tokens, true),
        ("cache_read_tokens", reported.cache_read_tokens, is_printed("cache_read_tokens")),
        ("cache_write_tokens", reported.cache_write_tokens, is_printed("cache_write_tokens")),
    ];
    for (name, got, is_reported) in pairs {
        // A number that the agent CLI does not report is absent.
        let wanted = values.number(name).filter(|_| is_reported).unwrap_or_default();
        if wanted != got {
            let expected = format!("{name} {wanted}");
            return Err(completed_run.record.failure(expected, format!("{got}"), sent));
        }
    }
    let stated = values.single.get("cost").and_then(Value::as_f64);
    let same_cost = match (stated, reported.cost_usd) {
        (Some(stated), Some(got)) => (stated - got).abs() < 1e-9,
        _ => false,
    };
    if context.suite.declares("usage.cost") && !same_cost {
        let got = format!("costUsd {:?}", reported.cost_usd);
        return Err(completed_run.record.failure(format!("costUsd {stated:?}"), got, sent));
    }
    Ok(())
}
