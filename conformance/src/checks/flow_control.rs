//! FLW: a host that stops reading for some time.

use std::time::Duration;

use od_protocol::adapter::CANCEL_RUN;
use serde_json::json;

use super::AdapterCheck;
use super::cancellation::{cancelled, prepare_hanging, start_and_wait_for_output};
use super::expectations::{PerTier, answer_of, exact_answer, plain_answer};
use super::throughput::{events_for, finish_while_progressing};
use crate::adapter_client::Answer;
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding};

/// How many pieces the answer has, fewer for a slow adapter: more than the pipe and one read of the suite hold, so that the
/// adapter has to wait.
const PIECES: PerTier = PerTier { brief: 900, fast: 8_000, full: 20_000, slow: 60_000 };
/// How long the suite does not read.
const STALL_DURATION: Duration = Duration::from_secs(3);
/// How long the suite does not read while a cancel is pending.
const SHORT_STALL_DURATION: Duration = Duration::from_secs(1);
/// The timeout of the response to a cancel after reading has resumed.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(20);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[active(
    "FLW-01",
    "a host that does not read for three seconds loses nothing, and a cancel sent during that \
         time still ends the run",
    "hosts are busy at times, and a queue that drops events loses text without a trace",
    Gate::cli_scenario("text"),
    stalled_reader,
)];

fn stalled_reader(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let pieces = events_for(context, PIECES.of(context))?.max(PIECES.brief);
    nothing_is_lost(context, pieces)?;
    cancel_still_works(context, pieces)
}

fn nothing_is_lost(context: &mut CheckContext, pieces: usize) -> CheckOutcome {
    let nonce = context.nonce();
    let pieces = (0..pieces).map(|number| format!("{nonce} piece {number}, ")).collect();
    let prepared = answer_of(context, "text", pieces)?;
    let mut adapter = context.launch()?;
    adapter.begin(&prepared)?;
    adapter.stall(STALL_DURATION);
    let record = finish_while_progressing(&mut adapter, prepared.run_id())?;
    let sent = format!("run/start; the suite did not read for {STALL_DURATION:?}");
    exact_answer(&CompletedRun { prepared, record, invocation: None }, &sent)
}

fn cancel_still_works(context: &mut CheckContext, pieces: usize) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    let last_output =
        prepared.script.steps.iter().rposition(|step| matches!(step, Step::Out { .. }));
    let Some((at, Step::Out { text, .. })) =
        last_output.map(|at| (at, prepared.script.steps[at].clone()))
    else {
        return Err(Finding::Untestable("the scenario text prints nothing".to_owned()));
    };
    let lines = pieces as u64;
    prepared.script.steps.insert(at + 1, Step::Flood { stderr: false, lines, text });
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let id = adapter.ask(CANCEL_RUN.name, json!({"runId": prepared.run_id(), "graceMs": 300}));
    adapter.stall(SHORT_STALL_DURATION);
    let sent =
        format!("run/cancel in a flood; the suite did not read for {SHORT_STALL_DURATION:?}");
    match adapter.answer(&id, CATCH_UP_TIMEOUT)? {
        Answer::Result(value) if value["accepted"] == true => {}
        other => {
            return Err(adapter.failure("run/cancel is accepted", other.summary(), sent));
        }
    }
    let record = finish_while_progressing(&mut adapter, prepared.run_id())?;
    cancelled(&record, &sent)
}
