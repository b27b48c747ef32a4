//! Requests that must be answered while another request is pending.

use std::time::{Duration, Instant};

use od_protocol::adapter::{CANCEL_RUN, DETECT_ADAPTER, LIST_MODELS, SHUTDOWN};
use serde_json::json;

use super::still_answers;
use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::cancellation::{prepare_hanging, start_and_wait_for_output};
use crate::checks::expectations::{SHORT_RUN_TIMEOUT, line_with, plain_answer};
use crate::context::CheckContext;
use crate::fake_cli::{ProbeMode, Script, Step};
use crate::outcome::CheckOutcome;

/// How many pings are sent, and the pause after each.
const PINGS: usize = 3;
const PING_INTERVAL: Duration = Duration::from_millis(150);
/// How long a slow agent CLI takes to start.
const SLOW_START_MS: u64 = 2_500;
/// The grace period of a shutdown that takes long.
const GRACE_MS: u64 = 2_500;
/// The timeout for the agent CLI to be started.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// The timeout for a detection to start the agent CLI, which it need not do.
const PROBE_START_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How late the text of a run may arrive if it arrives after the end of the detection.
const MAX_FORWARD_TIME: Duration = Duration::from_secs(1);
/// How often the text of a run during a detection is measured.
const ATTEMPTS: usize = 3;
const GATE: &str = "continue";

pub(super) fn do_not_block(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    during_detection(context)?;
    if context.suite.declares("models") {
        during_listing(context)?;
    }
    during_slow_start(context)?;
    during_shutdown(context)?;
    detection_during_run(context)
}

fn during_detection(context: &mut CheckContext) -> CheckOutcome {
    let script = hanging_script(context)?;
    let mut adapter = context.launch()?;
    adapter.fake_cli.load_script(&script)?;
    let id = adapter.ask(DETECT_ADAPTER.name, json!({}));
    pings_and_cancel(&mut adapter, "an adapter/detect whose agent CLI hangs")?;
    adapter.answer(&id, DETECT_ADAPTER.limit()).map(drop)
}

fn during_listing(context: &mut CheckContext) -> CheckOutcome {
    let script = hanging_script(context)?;
    let mut adapter = context.launch()?;
    adapter.fake_cli.load_script(&script)?;
    let id = adapter.ask(LIST_MODELS.name, json!({}));
    pings_and_cancel(&mut adapter, "a models/list whose agent CLI hangs")?;
    adapter.answer(&id, LIST_MODELS.limit()).map(drop)
}

/// Every start of the agent CLI hangs.
fn hanging_script(context: &mut CheckContext) -> Result<Script, crate::outcome::Finding> {
    let script = context.prepare("text")?.script;
    let steps = vec![Step::Hang];
    Ok(Script { probe_mode: ProbeMode::Hang, steps, terminal: false, ..script })
}

fn pings_and_cancel(adapter: &mut AdapterClient, pending: &str) -> CheckOutcome {
    for _ in 0..PINGS {
        still_answers(adapter, &format!("ping during {pending}"))?;
        adapter.listen(PING_INTERVAL);
    }
    let sent = format!("run/cancel of an unknown run during {pending}");
    let answer = adapter
        .request(CANCEL_RUN.name, json!({"runId": "unknown run"}))
        .map_err(|finding| finding.map_failure(|failure| failure.sent(&sent).into()))?;
    let is_right = matches!(&answer, Answer::Result(value) if value["accepted"] == false);
    adapter.ensure(is_right, "accepted is false", answer.summary(), sent)
}

fn during_slow_start(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let mut prepared = context.prepare("text")?;
    prepared.script.steps.insert(0, Step::Sleep { ms: SLOW_START_MS });
    adapter.fake_cli.load_script(&prepared.script)?;
    let params = serde_json::to_value(&prepared.request).unwrap_or_default();
    let id = adapter.ask_run(prepared.run_id(), params);
    let sent = "run/start of an agent CLI that starts slowly";
    for _ in 0..PINGS {
        still_answers(&mut adapter, &format!("ping during {sent}"))?;
        adapter.listen(PING_INTERVAL);
    }
    let cancel = json!({"runId": prepared.run_id(), "graceMs": 300});
    let answer = adapter
        .request(CANCEL_RUN.name, cancel)
        .map_err(|finding| finding.map_failure(|failure| failure.sent(sent).into()))?;
    let is_result = matches!(answer, Answer::Result(_));
    adapter.ensure(is_result, "a result of run/cancel", answer.summary(), sent)?;
    if let Answer::Result(_) = adapter.started(prepared.run_id(), &id)? {
        adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    }
    Ok(())
}

fn during_shutdown(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.script.ignore_polite_stops();
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let id = adapter.ask(SHUTDOWN.name, json!({"graceMs": GRACE_MS}));
    for _ in 0..PINGS {
        still_answers(&mut adapter, "ping during a shutdown that waits for an agent CLI")?;
        adapter.listen(PING_INTERVAL);
    }
    let limit = SHUTDOWN.limit() + Duration::from_millis(GRACE_MS) + START_TIMEOUT;
    adapter.answer(&id, limit).map(drop)
}

/// A detection hangs while a run prints. A busy machine can delay one attempt.
fn detection_during_run(context: &mut CheckContext) -> CheckOutcome {
    if !context.suite.declares("textDeltas") {
        return Ok(());
    }
    let mut outcome = Ok(());
    for _ in 0..ATTEMPTS {
        outcome = text_during_detection(context);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// The text of the run arrives before the detection ends, or at once.
fn text_during_detection(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    let second = prepared.values.deltas[1].trim_end().to_owned();
    let at = line_with(&prepared.script, &second)?;
    prepared.script.steps.insert(at, Step::Gate { name: GATE.to_owned() });
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let script = Script { probe_mode: ProbeMode::Hang, ..prepared.script.clone() };
    adapter.fake_cli.load_script(&script)?;
    let before = adapter.fake_cli.invocations().len();
    let id = adapter.ask(DETECT_ADAPTER.name, json!({"refresh": true}));
    // An adapter that reads the version from files starts nothing.
    adapter.fake_cli.wait_until(PROBE_START_TIMEOUT, |starts| starts.len() > before);
    adapter.fake_cli.open_gate(GATE)?;
    let opened_at = Instant::now();
    let sent = "adapter/detect during a run; the agent CLI hangs for the detection only";
    let mut text = String::new();
    let received = adapter
        .wait_event(prepared.run_id(), START_TIMEOUT * 2, "the next text of the run", |event| {
            text.push_str(event.value["text"].as_str().unwrap_or_default());
            text.contains(&second)
        })
        .map_err(|finding| finding.map_failure(|failure| failure.sent(sent).into()))?;
    let waited = received.at.saturating_duration_since(opened_at);
    let answered = adapter.inbox.answers.get(&id).map(|line| line.location.line);
    let is_first = answered.is_none_or(|line| received.location.line < line);
    let got = format!("it arrived {waited:.1?} after it was printed, and after the detection");
    let is_prompt = waited <= MAX_FORWARD_TIME;
    adapter.ensure(is_first || is_prompt, "the text of the run at once", got, sent)?;
    adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    adapter.answer(&id, DETECT_ADAPTER.limit()).map(drop)
}
