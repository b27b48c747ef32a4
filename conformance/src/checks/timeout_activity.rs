//! TMO: what counts as output of the agent CLI, and what pauses a limit.

use std::time::{Duration, Instant};

use od_protocol::adapter::RESPOND_RUN;
use od_protocol::{DoneStatus, Timeouts};
use serde_json::json;

use super::AdapterCheck;
use super::cancellation::prepare_hanging;
use super::expectations::{
    SHORT_RUN_TIMEOUT, completed, describe_end, exact_answer, line_with, plain_answer,
};
use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::check::{Gate, active};
use crate::context::{CheckContext, execute_on};
use crate::fake_cli::{Script, Step};
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;
use crate::script_variants::cut_after;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "TMO-05",
        "a heartbeat or another event of the adapter restarts no limit, and a piece of a line \
         restarts `idleMs`",
        "an adapter that counts its own heartbeats never notices that the agent CLI is stuck",
        Gate::cli_scenario("text"),
        only_output_counts,
    ),
    active(
        "TMO-06",
        "an open approval pauses `idleMs` and not `totalMs`; the timeout denies it exactly once",
        "a user may think longer than an agent may be silent",
        Gate::cli_scenario("approval").with_capability("approvals"),
        approval_pauses_idle,
    ),
];

/// Longer than the interval of heartbeats.
const LONG_LIMIT: Duration = Duration::from_secs(11);
/// The timeout from the limit to the end of the run: grace periods and a reserve.
const END_TIMEOUT: Duration = Duration::from_secs(5);
/// The tolerance for clocks that are read at different times.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(30);
/// A line in this many pieces with these pauses is longer than the idle limit.
const PIECES: usize = 8;
const PIECE_PAUSE_MS: u64 = 300;
const IDLE_LIMIT: Duration = Duration::from_millis(1_200);
/// The limits while an approval is open.
const APPROVAL_IDLE: Duration = Duration::from_millis(1_000);
const APPROVAL_TOTAL: Duration = Duration::from_millis(1_800);

fn only_output_counts(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let limit = Some(millis(LONG_LIMIT));
    let mut idle = prepare_hanging(context, &[])?;
    idle.request.timeouts = Timeouts { idle_ms: limit, ..Timeouts::default() };
    let mut start = context.prepare("text")?;
    start.script = cut_after(&start.script, 0, &[Step::Hang]);
    start.request.timeouts = Timeouts { start_ms: limit, ..Timeouts::default() };
    let mut runs = Vec::new();
    for (prepared, which) in [(idle, "idle"), (start, "start")] {
        let mut adapter = context.launch()?;
        let started_at = Instant::now();
        adapter.begin(&prepared)?;
        runs.push((adapter, prepared, which, started_at));
    }
    in_pieces(context)?;
    for (adapter, prepared, which, started_at) in &mut runs {
        let sent = format!("run/start with {which}Ms {LONG_LIMIT:?}; the agent CLI hangs");
        let left = (LONG_LIMIT + END_TIMEOUT).saturating_sub(started_at.elapsed());
        timed_out(adapter, prepared, left, *started_at + LONG_LIMIT, &sent)?;
    }
    Ok(())
}

fn timed_out(
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    left: Duration,
    not_before: Instant,
    sent: &str,
) -> CheckOutcome {
    adapter.wait_done(prepared.run_id(), left);
    let record = adapter.run(prepared.run_id());
    let is_timed_out = record.done().is_some_and(|done| done.status == DoneStatus::TimedOut);
    let expected = format!("`done` with status timed_out within {END_TIMEOUT:?} after the limit");
    record.ensure(is_timed_out, expected, describe_end(&record), sent)?;
    let ended_at = record.events.last().map(|last| last.at);
    let is_early = ended_at.is_some_and(|at| at + CLOCK_TOLERANCE < not_before);
    record.ensure(!is_early, "the run is not ended before the limit", "it was ended early", sent)
}

/// The agent CLI prints pieces of one line.
fn in_pieces(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    let delta = prepared.values.deltas[1].clone();
    if !split_line(&mut prepared.script, delta.trim_end())? {
        return Ok(());
    }
    let idle_ms = Some(millis(context.limit(IDLE_LIMIT)));
    prepared.request.timeouts = Timeouts { idle_ms, ..Timeouts::default() };
    let mut adapter = context.launch()?;
    let completed_run = execute_on(&mut adapter, prepared)?;
    let sent = format!(
        "run/start with idleMs {idle_ms:?}; the agent CLI prints a piece of a line every \
         {PIECE_PAUSE_MS} ms"
    );
    exact_answer(&completed_run, &sent)
}

/// Splits the line with this text; false if it cannot be split.
fn split_line(script: &mut Script, text: &str) -> Result<bool, Finding> {
    let at = line_with(script, text)?;
    let Step::Out { text: line, end } = script.steps[at].clone() else { return Ok(false) };
    let is_server = script.steps.iter().any(|step| matches!(step, Step::Listen { .. }));
    // A piece of a placeholder would not be filled, and a server sends whole events.
    if is_server || line.contains("{{") {
        return Ok(false);
    }
    let characters: Vec<char> = line.chars().collect();
    let size = characters.len().div_ceil(PIECES).max(1);
    let mut steps: Vec<Step> = Vec::new();
    for piece in characters.chunks(size) {
        steps.push(Step::Out { text: piece.iter().collect(), end: String::new() });
        steps.push(Step::Sleep { ms: PIECE_PAUSE_MS });
    }
    steps.push(Step::Out { text: String::new(), end });
    script.steps.splice(at..=at, steps);
    Ok(true)
}

fn approval_pauses_idle(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    answered_after_idle_limit(context, &mut adapter)?;
    total_limit_continues(context, &mut adapter)
}

fn answered_after_idle_limit(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
) -> CheckOutcome {
    let idle = context.limit(APPROVAL_IDLE);
    let mut prepared = context.prepare("approval")?;
    prepared.request.timeouts = Timeouts { idle_ms: Some(millis(idle)), ..Timeouts::default() };
    let sent = format!("run/start with idleMs {idle:?}; the approval is answered after 1.5 times");
    let approval_id = begin_approval(adapter, &prepared)?;
    let wait = idle.mul_f64(1.5);
    let record = adapter.run(prepared.run_id());
    let mut requests = record.of_type("approval_requested");
    let deadline = requests.next().and_then(|request| request.value["deadlineMs"].as_u64());
    if deadline.is_some_and(|deadline| deadline < millis(wait) + 1000) {
        // The approval would be denied before the answer, which APR-06 checks.
        adapter.cancel(prepared.run_id())?;
        return adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT).map(drop);
    }
    adapter.listen(wait);
    let params =
        json!({"runId": prepared.run_id(), "approvalId": approval_id, "outcome": "allow_once"});
    let answer = adapter.request(RESPOND_RUN.name, params)?;
    let is_accepted = matches!(answer, Answer::Result(_));
    adapter.ensure(is_accepted, "run/respond is accepted", answer.summary(), &sent)?;
    completed(&adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?, &sent)
}

fn total_limit_continues(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let total = context.limit(APPROVAL_TOTAL);
    let mut prepared = context.prepare("approval")?;
    prepared.request.timeouts = Timeouts { total_ms: Some(millis(total)), ..Timeouts::default() };
    let sent = format!("run/start with totalMs {total:?}; nobody answers the approval");
    let approval_id = begin_approval(adapter, &prepared)?;
    adapter.wait_done(prepared.run_id(), APPROVAL_TOTAL + END_TIMEOUT);
    let record = adapter.run(prepared.run_id());
    let is_timed_out = record.done().is_some_and(|done| done.status == DoneStatus::TimedOut);
    let expected = "`done` with status timed_out";
    record.ensure(is_timed_out, expected, describe_end(&record), &sent)?;
    denied_once(&record, &approval_id, &sent)
}

fn denied_once(record: &RunRecord, approval_id: &str, sent: &str) -> CheckOutcome {
    let outcomes: Vec<&str> = record
        .of_type("approval_resolved")
        .filter(|resolved| resolved.value["approvalId"] == approval_id)
        .filter_map(|resolved| resolved.value["outcome"].as_str())
        .collect();
    let is_denied = matches!(outcomes[..], ["reject_once" | "reject_always"]);
    let expected = "one approval_resolved with a denial";
    record.ensure(is_denied, expected, format!("the outcomes {outcomes:?}"), sent)
}

fn begin_approval(adapter: &mut AdapterClient, prepared: &PreparedRun) -> Result<String, Finding> {
    adapter.begin(prepared)?;
    let requested = adapter.wait_event(
        prepared.run_id(),
        SHORT_RUN_TIMEOUT,
        "`approval_requested`",
        |received| received.type_name() == "approval_requested",
    )?;
    Ok(requested.value["approvalId"].as_str().unwrap_or_default().to_owned())
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
