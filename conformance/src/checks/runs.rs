//! RUN: a run is accepted at once, and its output is forwarded completely and immediately. Runs are
//! independent of each other.

mod independence;
mod lingering_cli;
mod run_ids;
mod run_started;
mod trace;

use std::time::Duration;

use od_protocol::adapter::{START_RUN, StartRunResult};

use super::AdapterCheck;
use super::expectations::{SHORT_RUN_TIMEOUT, exact_answer, line_with};
use crate::adapter_client::Answer;
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::Step;
use crate::outcome::CheckOutcome;

const GATE: &str = "continue";
/// The timeout for the first output, which the agent CLI has already printed.
const FIRST_OUTPUT_TIMEOUT: Duration = Duration::from_secs(5);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "RUN-01",
        "`run/start` is answered when the run is accepted, not when it has ended",
        "a host that waits for the response cannot display, steer or stop the run",
        Gate::scenario("text"),
        answered_on_acceptance,
    ),
    active(
        "RUN-02",
        "the text of all deltas is exactly the text that the agent CLI sent, with nothing lost or \
         duplicated",
        "users read this text",
        Gate::cli_scenario("text"),
        exact_text,
    ),
    active(
        "RUN-03",
        "deltas are forwarded while the agent CLI is still running",
        "a user who sees no output for minutes stops the run",
        Gate::cli_scenario("text").with_capability("textDeltas"),
        forwarded_at_once,
    ),
    active(
        "RUN-04",
        "a run id is an opaque text: the response and every event repeat it exactly, and no file is \
         named after it",
        "hosts choose their own run ids; a shortened or normalised one belongs to another run",
        Gate::cli_scenario("text"),
        run_ids::opaque,
    ),
    active(
        "RUN-05",
        "the values in `run_started` are those of this run, without the prompt and without secrets",
        "people and reports rely on them to find the process and to repeat the command",
        Gate::cli_scenario("text"),
        run_started::true_values,
    ),
    active(
        "RUN-06",
        "nothing of a run appears in the next one: no text, session, variable, option, usage or error",
        "one process serves many runs, often of different users",
        Gate::cli_scenario("text"),
        independence::nothing_is_kept,
    ),
    active(
        "RUN-07",
        "an agent CLI that does not exit after its final message is killed, and the run ends as \
         completed soon after",
        "agent CLIs hang while they clean up; a host that waits for them shows a run without end",
        Gate::cli_scenario("text"),
        lingering_cli::killed_soon,
    ),
    active(
        "RUN-08",
        "`tracePath` receives the complete raw output of the agent CLI, or the run is refused",
        "a trace that is incomplete or missing hides the fault that it was requested for",
        Gate::cli_scenario("text"),
        trace::complete_or_refused,
    ),
];

fn answered_on_acceptance(context: &mut CheckContext) -> CheckOutcome {
    let has_cli = context.suite.has_cli();
    let mut prepared = context.prepare("text")?;
    if has_cli {
        prepared.script.steps.insert(0, Step::Gate { name: GATE.to_owned() });
    }
    let mut adapter = context.launch()?;
    adapter.fake_cli.load_script(&prepared.script)?;
    adapter.inbox.open_run(prepared.run_id());
    let params = serde_json::to_value(&prepared.request).unwrap_or_default();
    let id = adapter.ask(START_RUN.name, params);
    let answer = adapter.answer(&id, START_RUN.limit());
    adapter.fake_cli.open_gate(GATE)?;
    let sent = "run/start; the agent CLI prints nothing yet";
    let accepted = match answer? {
        Answer::Result(value) => serde_json::from_value::<StartRunResult>(value.clone())
            .is_ok_and(|result| result.run_id == prepared.run_id())
            .then_some(())
            .ok_or_else(|| format!("the result {value}")),
        refused @ Answer::Error(_) => Err(refused.summary()),
    };
    if let Err(got) = accepted {
        let expected = format!("a result with runId {:?}", prepared.run_id());
        return Err(adapter.failure(expected, got, sent));
    }
    adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT).map(drop)
}

fn exact_text(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("text")?;
    exact_answer(&completed_run, "run/start; the agent CLI printed an answer in pieces")
}

fn forwarded_at_once(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    let (first, second) = (prepared.values.deltas[0].clone(), prepared.values.deltas[1].clone());
    let second_line = line_with(&prepared.script, second.trim_end())?;
    prepared.script.steps.insert(second_line, Step::Gate { name: GATE.to_owned() });
    let mut adapter = context.launch()?;
    adapter.begin(&prepared)?;
    let run_id = prepared.run_id().to_owned();
    let wanted = "a `text_delta` with the first output while the agent CLI waits";
    let mut text = String::new();
    let early = adapter.wait_event(&run_id, FIRST_OUTPUT_TIMEOUT, wanted, |received| {
        if received.type_name() == "text_delta" {
            text.push_str(received.value["text"].as_str().unwrap_or_default());
        }
        text.contains(first.trim_end())
    });
    adapter.fake_cli.open_gate(GATE)?;
    early?;
    let record = adapter.finish(&run_id, SHORT_RUN_TIMEOUT)?;
    let sent = "run/start; the agent CLI paused between two pieces";
    exact_answer(&CompletedRun { prepared, record, invocation: None }, sent)
}
