//! Runs that do not affect each other: CON-03 and CON-04, which `concurrency` lists.

use std::time::Duration;

use od_protocol::{DoneStatus, ErrorKind};
use serde_json::json;

use super::cancellation::{cancelled, prepare_hanging, start_and_wait_for_output};
use super::expectations::{
    SHORT_RUN_TIMEOUT, describe_end, exact_answer, line_with, output_steps, plain_answer,
};
use super::interleaving::{GatedRun, alternate, foreign_value};
use super::pending_approval::PendingApproval;
use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;
use crate::script_variants::cut_after;

/// The time limit of the run that times out beside another, in milliseconds.
const TOTAL_MS: u64 = 600;

/// The timeout for input to reach the agent CLI.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(4);

pub(super) fn one_run_only() -> Finding {
    Finding::Skip("the adapter supports one run at a time (too_many_runs)".to_owned())
}

/// Alternates half lines of two runs.
pub(super) fn interleaved_lines(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let has_tools = context.suite.has_scenario("tool_ok");
    let scenarios = ["text", if has_tools { "tool_ok" } else { "text" }];
    let mut runs = Vec::new();
    for scenario in scenarios {
        let prepared = context.prepare(scenario)?;
        match GatedRun::begin_cut(&mut adapter, prepared)? {
            Some(run) => runs.push(run),
            None => return Err(one_run_only()),
        }
    }
    alternate(&mut adapter, &mut runs)?;
    let sent = "two concurrent runs whose agent CLIs print halves of lines in turn";
    let values: Vec<_> = runs.iter().map(|run| run.prepared.values.clone()).collect();
    for (index, run) in runs.into_iter().enumerate() {
        let record = adapter.finish(run.run_id(), SHORT_RUN_TIMEOUT)?;
        let calls = record.of_type("tool_call_started").count();
        let expected = usize::from(run.prepared.scenario == "tool_ok");
        if context.suite.declares("tools") && calls != expected {
            let expected = format!("{expected} tool calls in the run of {}", run.prepared.scenario);
            return Err(record.failure(expected, record.summary(), sent));
        }
        has_only_own_values(&record, &values[1 - index], sent)?;
        let prepared = run.prepared;
        exact_answer(&CompletedRun { prepared, record, invocation: None }, sent)?;
    }
    Ok(())
}

fn has_only_own_values(
    record: &RunRecord,
    other: &crate::pack::Values,
    sent: &str,
) -> CheckOutcome {
    match foreign_value(record, other) {
        Some(value) => {
            let got = format!("an event contains {value:?} of the other run");
            Err(record.failure("only values of this run", got, sent))
        }
        None => Ok(()),
    }
}

/// Ends runs in every way beside a run that must continue.
pub(super) fn other_runs_continue(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let mut witness = begin_witness(context, &mut adapter)?.ok_or_else(one_run_only)?;
    let id = witness.run_id().to_owned();
    for unknown in
        [format!("run-{}", context.nonce()), id[..id.len() - 2].to_owned(), String::new()]
    {
        let answer = adapter.request("run/cancel", json!({"runId": unknown}))?;
        let is_harmless = match &answer {
            Answer::Result(result) => result["accepted"] == false,
            Answer::Error(error) => unknown.is_empty() && error.kind() == ErrorKind::InvalidParams,
        };
        let sent = format!("run/cancel of {unknown:?} while {id:?} runs");
        adapter.ensure(is_harmless, "accepted false", answer.summary(), &sent)?;
        continues(&mut adapter, &witness, &sent)?;
    }
    let endings: [fn(&mut CheckContext, &mut AdapterClient, &GatedRun) -> CheckOutcome; 6] =
        [ends_cancelled, ends_crashed, ends_timed_out, ends_limited, takes_input, takes_answer];
    for ending in endings {
        ending(context, &mut adapter, &witness)?;
    }
    witness.open_all(&adapter)?;
    let record = adapter.finish(&id, SHORT_RUN_TIMEOUT)?;
    let sent =
        "run/start; meanwhile other runs were cancelled, crashed, timed out and were limited";
    exact_answer(&CompletedRun { prepared: witness.prepared, record, invocation: None }, sent)
}

/// Starts a run that stops after its first text.
pub(super) fn begin_witness(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
) -> Result<Option<GatedRun>, Finding> {
    let prepared = context.prepare("text")?;
    let first = line_with(&prepared.script, prepared.values.deltas[0].trim_end())?;
    GatedRun::begin_before(adapter, prepared, first + 1)
}

/// Fails if the run has ended.
pub(super) fn continues(
    adapter: &mut AdapterClient,
    witness: &GatedRun,
    sent: &str,
) -> CheckOutcome {
    adapter.listen(Duration::from_millis(50));
    let record = adapter.run(witness.run_id());
    let is_alive = witness.invocation(adapter).signals.is_empty();
    let got = format!("{}, its agent CLI got no signal: {is_alive}", describe_end(&record));
    record.ensure(!record.finished && is_alive, "the other run continues", got, sent)
}

/// Starts a run beside the other; a skip if the adapter supports no further one.
fn begin_beside(adapter: &mut AdapterClient, prepared: &PreparedRun) -> CheckOutcome {
    match adapter.try_begin(prepared)? {
        Answer::Result(_) => Ok(()),
        Answer::Error(error) if error.kind() == ErrorKind::TooManyRuns => Err(one_run_only()),
        refused @ Answer::Error(_) => {
            Err(adapter.failure("the run is accepted", refused.summary(), "run/start"))
        }
    }
}

fn ends_with(
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    witness: &GatedRun,
    status: DoneStatus,
    sent: &str,
) -> CheckOutcome {
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    let got = record.done().map(|done| done.status);
    let expected = format!("`done` with status {status}");
    record.ensure(got == Some(status), expected, describe_end(&record), sent)?;
    has_only_own_values(&record, &witness.prepared.values, sent)?;
    continues(adapter, witness, sent)
}

fn ends_cancelled(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    witness: &GatedRun,
) -> CheckOutcome {
    let prepared = prepare_hanging(context, &[])?;
    let sent = "run/cancel of another run";
    match start_and_wait_for_output(context, adapter, &prepared) {
        Err(Finding::Fail(failure)) if failure.got.contains("too_many_runs") => {
            return Err(one_run_only());
        }
        other => other?,
    }
    adapter.cancel(prepared.run_id())?;
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    cancelled(&record, sent)?;
    continues(adapter, witness, sent)
}

fn ends_crashed(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    witness: &GatedRun,
) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    let lines = output_steps(&prepared.script, 0).len().saturating_sub(1);
    prepared.script = cut_after(&prepared.script, lines, &[Step::Exit { code: 1 }]);
    begin_beside(adapter, &prepared)?;
    let sent = "the agent CLI of another run exits with code 1";
    ends_with(adapter, &prepared, witness, DoneStatus::Failed, sent)
}

fn ends_timed_out(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    witness: &GatedRun,
) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.request.timeouts.total_ms = Some(TOTAL_MS);
    begin_beside(adapter, &prepared)?;
    let sent = format!("timeouts.totalMs of another run is {TOTAL_MS}");
    ends_with(adapter, &prepared, witness, DoneStatus::TimedOut, &sent)
}

fn ends_limited(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    witness: &GatedRun,
) -> CheckOutcome {
    if !context.suite.has_scenario("rate_limit") {
        return Ok(());
    }
    let prepared = context.prepare("rate_limit")?;
    if prepared.needs_own_process {
        return Ok(());
    }
    begin_beside(adapter, &prepared)?;
    let sent = "the provider limits the rate of another run";
    ends_with(adapter, &prepared, witness, DoneStatus::Failed, sent)
}

fn takes_input(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    witness: &GatedRun,
) -> CheckOutcome {
    if !context.suite.declares("input") || !context.suite.has_scenario("input") {
        return Ok(());
    }
    let prepared = context.prepare("input")?;
    let index = adapter.fake_cli.starts().len();
    begin_beside(adapter, &prepared)?;
    adapter.wait_event(prepared.run_id(), SHORT_RUN_TIMEOUT, "`text_delta`", |received| {
        received.type_name() == "text_delta"
    })?;
    let text = format!("input {}", context.nonce());
    let sent = format!("run/input {text:?} to another run");
    let answer = adapter.request("run/input", json!({"runId": prepared.run_id(), "text": text}))?;
    if let Answer::Error(_) = &answer {
        return Err(adapter.failure("the input is accepted", answer.summary(), &sent));
    }
    let (is_delivered, _) = adapter.fake_cli.wait_until(context.limit(DELIVERY_TIMEOUT), |_| {
        let start = adapter.fake_cli.starts().into_iter().nth(index);
        start.is_some_and(|start| start.bound_text("input").as_deref() == Some(text.as_str()))
    });
    adapter.ensure(is_delivered, "the input reaches its agent CLI", "it did not", &sent)?;
    has_not_received(adapter, witness, &text, &sent)?;
    ends_with(adapter, &prepared, witness, DoneStatus::Completed, &sent)?;
    has_not_received(adapter, witness, &text, &sent)
}

fn takes_answer(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    witness: &GatedRun,
) -> CheckOutcome {
    if !context.suite.declares("approvals") || !context.suite.has_scenario("approval") {
        return Ok(());
    }
    let before = witness.invocation(adapter).received_text();
    let prepared = context.prepare("approval")?;
    let index = adapter.fake_cli.starts().len();
    begin_beside(adapter, &prepared)?;
    let pending = PendingApproval::wait(adapter, prepared.run_id(), index)?;
    let sent = "run/respond of another run";
    pending.respond_accepted(adapter, json!({"outcome": "allow_once"}), sent)?;
    ends_with(adapter, &prepared, witness, DoneStatus::Completed, sent)?;
    let after = witness.invocation(adapter).received_text();
    let got = after.strip_prefix(&before).unwrap_or(&after).to_owned();
    adapter.ensure(before == after, "nothing reaches the agent CLI of this run", got, sent)
}

fn has_not_received(
    adapter: &AdapterClient,
    witness: &GatedRun,
    text: &str,
    sent: &str,
) -> CheckOutcome {
    let received = witness.invocation(adapter).received_text();
    let expected = "nothing reaches the agent CLI of this run";
    adapter.ensure(!received.contains(text), expected, format!("it received {text:?}"), sent)
}
