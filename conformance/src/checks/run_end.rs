//! DON: `done` states how the run ended and sums up its events.

use od_protocol::{Done, DoneEvidence, DoneStatus, StopReason};
use rand::RngExt;

use super::AdapterCheck;
use super::expectations::{SHORT_RUN_TIMEOUT, after_last_expectation, describe_end, plain_answer};
use super::native_output::{first_answer_line, lines};
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active, invariant};
use crate::context::CheckContext;
use crate::fake_cli::{Script, Step};
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "DON-01",
        "the totals and the session of `done` are those of the events of the run: bytes of text, \
         tool calls, changed files, cost and usage",
        "a list of runs shows only `done`; its numbers must be those of the run",
        Gate::NONE,
    ),
    invariant(
        "DON-02",
        "the stop reason, the evidence and the error kind of `done` fit its status",
        "a host decides by these fields whether to retry, to continue or to report success",
        Gate::NONE,
    ),
    active(
        "DON-03",
        "`exitCode`, `signal`, the evidence and the stop reason of `done` state how the agent CLI \
         ended",
        "these fields are all that remains when a crash is analysed",
        Gate::cli_scenario("text"),
        how_it_ended,
    ),
];

/// Signals that end a process without a handler, with their numbers.
const SIGNALS: &[(&str, i32)] = &[("SIGKILL", 9), ("SIGHUP", 1)];

fn how_it_ended(context: &mut CheckContext) -> CheckOutcome {
    completed_run(context)?;
    for _ in 0..2 {
        let code = context.random().random_range(1..120);
        exit_code(context, code)?;
    }
    if cfg!(unix) {
        for (name, number) in SIGNALS {
            signal(context, name, *number)?;
        }
    }
    exit_after_final_message(context)?;
    cancelled_run(context)
}

fn completed_run(context: &mut CheckContext) -> CheckOutcome {
    let plain = plain_answer(context)?;
    let sent = "run/start of the scenario text";
    let done = done_of(&plain.record, sent)?;
    let is_right = done.status == DoneStatus::Completed && done.stop_reason == StopReason::EndTurn;
    let got = format!("status {}, stopReason {}", done.status, done.stop_reason);
    plain.record.ensure(is_right, "status completed, stopReason end_turn", got, sent)?;
    let was_signalled = plain.invocation.as_ref().is_none_or(|it| !it.signals.is_empty());
    let has_ended = plain.invocation.as_ref().is_some_and(|it| it.ended);
    let is_zero = done.exit_code.is_none_or(|code| code == 0) && done.signal.is_none();
    let got = format!("exitCode {:?}, signal {:?}", done.exit_code, done.signal);
    let is_known = has_ended && !was_signalled && exits_by_itself(&plain.prepared.script);
    plain.record.ensure(is_zero || !is_known, "exitCode 0 or none, no signal", got, sent)
}

/// Whether the agent CLI exits without being asked to.
fn exits_by_itself(script: &Script) -> bool {
    matches!(script.steps.last(), Some(Step::Exit { code: 0 }))
}

/// Prepares the plain answer that ends in the middle with this step.
fn ending_with(context: &mut CheckContext, step: Step) -> Result<PreparedRun, Finding> {
    let mut prepared = context.prepare("text")?;
    let pieces = &prepared.values.deltas[1..2];
    let at = super::native_output::first_line_with(&prepared.script, pieces)
        .or_else(|| first_answer_line(&prepared.script, &prepared.values));
    let at = at.filter(|at| *at >= after_last_expectation(&prepared.script));
    let at = at.ok_or_else(|| Finding::Skip("the answer is printed in one line".to_owned()))?;
    prepared.script.steps.splice(at.., [step]);
    Ok(prepared)
}

fn exit_code(context: &mut CheckContext, code: i32) -> CheckOutcome {
    let prepared = ending_with(context, Step::Exit { code })?;
    let mut adapter = context.launch()?;
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let sent = format!("run/start; the agent CLI exited with {code} after half of its answer");
    let done = failed(&record, &sent)?;
    let is_right = done.exit_code.is_none_or(|stated| stated == code) && done.signal.is_none();
    let got = format!("exitCode {:?}, signal {:?}", done.exit_code, done.signal);
    record.ensure(is_right, format!("exitCode {code} or none, no signal"), got, &sent)?;
    let is_evidence = done.evidence == DoneEvidence::ExitCode;
    record.ensure(is_evidence, "evidence exit_code", done.evidence.to_string(), &sent)
}

fn signal(context: &mut CheckContext, name: &str, number: i32) -> CheckOutcome {
    let prepared = ending_with(context, Step::Die { signal: name.to_owned() })?;
    let mut adapter = context.launch()?;
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let sent = format!("run/start; {name} ended the agent CLI after half of its answer");
    let done = failed(&record, &sent)?;
    let is_right = done.signal.is_none_or(|stated| stated == number) && done.exit_code.is_none();
    let got = format!("exitCode {:?}, signal {:?}", done.exit_code, done.signal);
    record.ensure(is_right, format!("signal {number} or none, no exitCode"), got, &sent)?;
    let is_evidence = matches!(done.evidence, DoneEvidence::Signal | DoneEvidence::ExitCode);
    record.ensure(is_evidence, "evidence signal or exit_code", done.evidence.to_string(), &sent)
}

/// The final message decides the status; the exit code is stated if the adapter waits for it.
fn exit_after_final_message(context: &mut CheckContext) -> CheckOutcome {
    const CODE: i32 = 5;
    let mut prepared = context.prepare("text")?;
    let Some(last) = lines(&prepared.script).map(|(index, _)| index).last() else { return Ok(()) };
    if !exits_by_itself(&prepared.script) {
        return Ok(());
    }
    prepared.script.steps.splice(last + 1.., [Step::Exit { code: CODE }]);
    let mut adapter = context.launch()?;
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let sent = format!("run/start; the agent CLI exited with {CODE} after its final message");
    let done = done_of(&record, &sent)?;
    let is_right = done.exit_code.is_none_or(|code| code == CODE);
    record.ensure(
        is_right,
        format!("exitCode {CODE} or none"),
        format!("{:?}", done.exit_code),
        sent,
    )
}

fn cancelled_run(context: &mut CheckContext) -> CheckOutcome {
    let prepared = ending_with(context, Step::Hang)?;
    let mut adapter = context.launch()?;
    adapter.begin(&prepared)?;
    let wanted = "a first event of the run";
    adapter.wait_event(prepared.run_id(), SHORT_RUN_TIMEOUT, wanted, |_| true)?;
    adapter.cancel(prepared.run_id())?;
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    let sent = "run/cancel in the middle of the answer";
    let done = done_of(&record, sent)?;
    let is_right = done.status == DoneStatus::Cancelled
        && done.stop_reason == StopReason::Cancelled
        && done.error_kind.is_none()
        && !(done.exit_code.is_some() && done.signal.is_some());
    let got = format!(
        "status {}, stopReason {}, errorKind {:?}, exitCode {:?}, signal {:?}",
        done.status, done.stop_reason, done.error_kind, done.exit_code, done.signal
    );
    let expected = "status and stopReason cancelled, no errorKind, exitCode or signal but not both";
    record.ensure(is_right, expected, got, sent)
}

fn failed(record: &RunRecord, sent: &str) -> Result<Done, Finding> {
    let done = done_of(record, sent)?;
    record.ensure(
        done.status == DoneStatus::Failed,
        "status failed",
        describe_end(record),
        sent,
    )?;
    Ok(done)
}

fn done_of(record: &RunRecord, sent: &str) -> Result<Done, Finding> {
    record.done().ok_or_else(|| record.failure("a `done` event", describe_end(record), sent))
}
