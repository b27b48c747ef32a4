//! CON: concurrent runs in one adapter process. An adapter may support only one and then refuses
//! more.

use std::time::Duration;

use od_protocol::ErrorKind;
use od_protocol::adapter::START_RUN;

use super::AdapterCheck;
use super::cancellation::{STOP_TIMEOUT, prepare_hanging, start_and_wait_for_output};
use super::expectations::{
    PerTier, SHORT_RUN_TIMEOUT, after_last_expectation, exact_answer, plain_answer,
};
use super::independent_runs::{interleaved_lines, other_runs_continue};
use super::run_isolation::{methods_beside_run, options_stay_separate};
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding, ensure};
use crate::prepared_run::PreparedRun;

/// How many runs are started at once.
const RUNS: PerTier = PerTier { brief: 3, fast: 4, full: 12, slow: 40 };
/// The timeout for an agent CLI to be started and to receive its task.
const CLI_START_TIMEOUT: Duration = Duration::from_secs(5);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "CON-01",
        "each of several concurrent runs gets its own complete answer, and the end of one run does \
         not affect another",
        "users run several tasks at once; an answer in the wrong window is worse than none",
        Gate::cli_scenario("text"),
        parallel,
    ),
    active(
        "CON-02",
        "a run whose id is in use is refused with `run_id_in_use`, a run above the limit with \
         `too_many_runs`, and the open run continues",
        "a host that knows the reason can wait, choose another id or start another process",
        Gate::cli_scenario("text"),
        refused,
    ),
    active(
        "CON-03",
        "concurrent runs whose agent CLIs print halves of lines in turn each get exactly their own \
         text, tools and session",
        "a buffer that two runs share mixes their answers, but only when both are busy",
        Gate::cli_scenario("text"),
        interleaved_lines,
    ),
    active(
        "CON-04",
        "cancelling a run, its crash, its time limit, its rate limit, its input and its approvals \
         do not affect any other run",
        "a user who stops one task must not lose the others",
        Gate::cli_scenario("text"),
        other_runs_continue,
    ),
    active(
        "CON-05",
        "variables, working folder, system prompt and session of a run never appear in another run, \
         neither a concurrent nor a later one",
        "a credential or an instruction of one project must not reach another",
        Gate::cli_scenario("text"),
        options_stay_separate,
    ),
    active(
        "CON-06",
        "detection, health, the list of models and `ping` are answered during a run without \
         affecting it, and a run starts while a detection hangs",
        "a host refreshes its list of agents while tasks are running",
        Gate::cli_scenario("text"),
        methods_beside_run,
    ),
];

fn parallel(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let mut prepared_runs: Vec<PreparedRun> = Vec::new();
    for number in 0..RUNS.of(context) {
        let mut prepared = context.prepare("text")?;
        let gate = Step::Gate { name: gate(number) };
        prepared.script.steps.insert(after_last_expectation(&prepared.script), gate);
        let answer = adapter.try_begin(&prepared)?;
        let is_full =
            matches!(&answer, Answer::Error(error) if error.kind() == ErrorKind::TooManyRuns);
        if is_full && !prepared_runs.is_empty() {
            break;
        }
        if let refused @ Answer::Error(_) = answer {
            let expected = "the run is accepted, or refused with too_many_runs";
            let sent = format!("run/start with {number} open runs");
            return Err(adapter.failure(expected, refused.summary(), sent));
        }
        reaches_gate(&adapter, number)?;
        prepared_runs.push(prepared);
    }
    let sent = format!(
        "{} concurrent run/start requests, each with a different answer",
        prepared_runs.len()
    );
    // One run ends while the others are still printing.
    let rest = prepared_runs.split_off(1);
    adapter.fake_cli.open_gate(&gate(0))?;
    prepared_runs
        .into_iter()
        .try_for_each(|prepared| answers_exactly(&mut adapter, prepared, &sent))?;
    for number in 1..=rest.len() {
        adapter.fake_cli.open_gate(&gate(number))?;
    }
    rest.into_iter().try_for_each(|prepared| answers_exactly(&mut adapter, prepared, &sent))
}

fn answers_exactly(adapter: &mut AdapterClient, prepared: PreparedRun, sent: &str) -> CheckOutcome {
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    exact_answer(&CompletedRun { prepared, record, invocation: None }, sent)
}

fn gate(number: usize) -> String {
    format!("answer-{number}")
}

/// Fails unless the agent CLI of this run has reached its gate, so that the next script is not
/// loaded by it.
fn reaches_gate(adapter: &AdapterClient, number: usize) -> CheckOutcome {
    let (has_reached, _) = adapter.fake_cli.wait_until(CLI_START_TIMEOUT, |starts| {
        starts.iter().any(|start| start.gates.contains(&gate(number)))
    });
    let expected =
        format!("the agent CLI is started and receives its task within {CLI_START_TIMEOUT:?}");
    let got = format!("the agent CLI of run {number} received no task");
    adapter.ensure(has_reached, expected, got, "run/start")
}

fn refused(context: &mut CheckContext) -> CheckOutcome {
    let prepared = prepare_hanging(context, &[])?;
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let starts = adapter.fake_cli.starts().len();
    let params = serde_json::to_value(&prepared.request).unwrap_or_default();
    adapter.refused(START_RUN.name, params, &ErrorKind::RunIdInUse)?;
    let started = adapter.fake_cli.starts().len() - starts;
    ensure(started == 0, "no agent CLI is started for a refused run", || {
        format!("{started} agent CLIs were started")
    })?;
    let other = prepare_hanging(context, &[])?;
    let mut open = vec![prepared];
    match adapter.try_begin(&other)? {
        Answer::Result(_) => open.push(other),
        error => {
            let sent = "run/start of another run while one is open";
            adapter.expect_error(error, &ErrorKind::TooManyRuns, sent)?;
        }
    }
    open.iter().try_for_each(|prepared| can_be_cancelled(&mut adapter, prepared))
}

fn can_be_cancelled(adapter: &mut AdapterClient, prepared: &PreparedRun) -> Result<(), Finding> {
    let accepted = adapter.cancel(prepared.run_id())?.accepted;
    ensure(accepted, "the run is still open, so run/cancel is accepted", || {
        "accepted is false".to_owned()
    })?;
    adapter.finish(prepared.run_id(), STOP_TIMEOUT).map(drop)
}
