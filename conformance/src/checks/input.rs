//! INP: input to a running agent.

use std::time::Duration;

use od_protocol::adapter::{INPUT_RUN, InputRunResult};
use od_protocol::{ErrorKind, InputOutcome};
use serde_json::{Value, json};

use super::AdapterCheck;
use super::expectations::{SHORT_RUN_TIMEOUT, after_last_expectation, completed};
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, execute_on};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Failure, Finding, shorten};
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "INP-01",
        "input that is answered with steered or queued reaches the agent CLI byte for byte, and \
         its answer is part of the run",
        "the user assumes that the agent received the input",
        Gate::cli_scenario("input").with_capability("input"),
        reaches_run,
    ),
    active(
        "INP-02",
        "input for a finished run, an unknown run or a turn that is not running is refused",
        "input that is accepted but not delivered is lost without notice",
        Gate::cli_scenario("input").with_capability("input"),
        undeliverable_input_is_refused,
    ),
    active(
        "INP-03",
        "every input reaches the agent CLI once, byte for byte and in order, whatever it contains; \
         a `user_message` repeats it unchanged",
        "an instruction that is cut, doubled or reordered changes what the agent does",
        Gate::cli_scenario("input").with_capability("input"),
        arrives_once_and_unchanged,
    ),
];

/// The timeout for accepted input to reach the agent CLI.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(4);

/// How often a text of 7 bytes is repeated to get about 100 KB.
const LONG_INPUT_REPETITIONS: usize = 12_000;

/// How long several inputs may take to reach the agent CLI.
const ORDER_WINDOW: Duration = Duration::from_millis(700);

/// Starts the scenario and waits until the agent CLI has begun to answer.
fn begin(context: &mut CheckContext, adapter: &mut AdapterClient) -> Result<PreparedRun, Finding> {
    let prepared = context.prepare("input")?;
    adapter.begin(&prepared)?;
    adapter.wait_event(prepared.run_id(), SHORT_RUN_TIMEOUT, "`text_delta`", |received| {
        received.type_name() == "text_delta"
    })?;
    Ok(prepared)
}

fn send_input(
    adapter: &mut AdapterClient,
    params: Value,
) -> Result<(Option<InputOutcome>, Answer), Finding> {
    let answer = adapter.request(INPUT_RUN.name, params)?;
    let outcome = match &answer {
        Answer::Result(value) => serde_json::from_value::<InputRunResult>(value.clone()).ok(),
        Answer::Error(_) => None,
    };
    Ok((outcome.map(|result| result.outcome), answer))
}

fn reaches_run(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let text = format!("and also «{}» 🦜\n\"second line\"", context.nonce());
    let prepared = begin(context, &mut adapter)?;
    send_input_and_finish(context, &mut adapter, &prepared, &text)
}

/// Sends input that must arrive; the run then ends by itself.
fn send_input_and_finish(
    context: &CheckContext,
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    text: &str,
) -> CheckOutcome {
    let sent = format!("run/input with text {:?}", shorten(text, 200));
    let (outcome, answer) = send_input(adapter, json!({"runId": prepared.run_id(), "text": text}))?;
    let steers = context.suite.declares("input.steer");
    let is_accepted = match outcome {
        Some(InputOutcome::Queued) => true,
        Some(InputOutcome::Steered) => steers,
        _ => false,
    };
    if !is_accepted {
        let expected = if steers { "steered or queued" } else { "queued (steer is not declared)" };
        return Err(adapter.failure(format!("the outcome {expected}"), answer.summary(), sent));
    }
    let limit = context.limit(DELIVERY_TIMEOUT);
    let arrived = |got: Option<Value>| got == Some(json!(text));
    let (is_delivered, starts) = adapter.fake_cli.wait_until(limit, |starts| {
        starts.last().is_some_and(|start| arrived(start.bound.get("input").cloned()))
    });
    if !is_delivered {
        let got = starts.last().and_then(|start| start.bound.get("input").cloned());
        return Err(adapter.failure(
            format!("the agent CLI receives exactly that text within {limit:.1?}"),
            format!("{}, and it received {}", answer.summary(), shorten(&format!("{got:?}"), 300)),
            sent,
        ));
    }
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    completed(&record, &sent)?;
    let second = prepared.values.text("second_text");
    if record.text().contains(&second) {
        return Ok(());
    }
    Err(record.failure(format!("the answer {second:?} too"), record.text(), &sent))
}

fn undeliverable_input_is_refused(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let never = json!({"runId": "run-unknown", "text": "hello"});
    must_refuse(&mut adapter, never, "run/input for an unknown run")?;
    let prepared = begin(context, &mut adapter)?;
    let refused_text = context.nonce();
    let other =
        json!({"runId": prepared.run_id(), "text": refused_text, "expectedTurn": "no-such-turn"});
    must_refuse(&mut adapter, other, "run/input with an expectedTurn that is not running")?;
    let text = format!("delivered {}", context.nonce());
    send_input_and_finish(context, &mut adapter, &prepared, &text)?;
    let start = adapter.fake_cli.starts().pop().unwrap_or_default();
    if start.received_text().contains(&refused_text) {
        let expected = "refused input does not reach the agent CLI";
        return Err(Failure::new(expected, format!("{refused_text} on its stdin")).into());
    }
    let ended = execute_on(&mut adapter, context.prepare("text")?)?;
    let late = json!({"runId": ended.prepared.run_id(), "text": "hello"});
    must_refuse(&mut adapter, late, "run/input for a run that has ended")
}

fn must_refuse(adapter: &mut AdapterClient, params: Value, sent: &str) -> CheckOutcome {
    let (outcome, answer) = send_input(adapter, params)?;
    let is_unknown =
        matches!(&answer, Answer::Error(error) if error.kind() == ErrorKind::RunUnknown);
    if is_unknown || outcome == Some(InputOutcome::Refused) {
        return Ok(());
    }
    let expected = "the outcome refused, or the error run_unknown";
    Err(adapter.failure(expected, answer.summary(), sent))
}

fn arrives_once_and_unchanged(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let nonce = context.nonce();
    let texts = [
        format!("  -{nonce} «ä» 海 🦜 e\u{301}\n\n second line\t\r\n \"quoted\" \\ end \n"),
        format!("/{nonce} @file $(touch x) `y`"),
        format!("{nonce}{}", "long 海 ".repeat(LONG_INPUT_REPETITIONS)),
    ];
    for text in &texts {
        let prepared = begin(context, &mut adapter)?;
        send_input_and_finish(context, &mut adapter, &prepared, text)?;
        let start = adapter.fake_cli.starts().pop().unwrap_or_default();
        let sent = format!("run/input with text {:?}", shorten(text, 80));
        let count = start.received_text().matches(&nonce).count();
        adapter.ensure(
            count == 1,
            "the agent CLI receives it once",
            format!("{count} times"),
            &*sent,
        )?;
        let record = adapter.run(prepared.run_id());
        let known = [prepared.request.prompt.text.as_str(), text.as_str()];
        let echo = record.of_type("user_message").find(|received| {
            received.value["text"].as_str().is_some_and(|echo| !known.contains(&echo))
        });
        if let Some(echo) = echo {
            let got = shorten(&echo.value.to_string(), 300);
            return Err(record.failure("`user_message` with exactly the input", got, sent));
        }
    }
    several_arrive_in_order(context, &mut adapter)
}

/// Sends three inputs while the agent CLI waits; those that arrive keep their order.
fn several_arrive_in_order(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
) -> CheckOutcome {
    let mut prepared = context.prepare("input")?;
    let gate = format!("input-{}", context.nonce());
    let at = after_last_expectation(&prepared.script).saturating_sub(1);
    prepared.script.steps.insert(at, Step::Gate { name: gate.clone() });
    adapter.begin(&prepared)?;
    let limit = context.limit(DELIVERY_TIMEOUT);
    adapter
        .fake_cli
        .wait_until(limit, |starts| starts.last().is_some_and(|start| start.gates.contains(&gate)));
    let texts: Vec<String> =
        (1..=3).map(|number| format!("input {number} {}", context.nonce())).collect();
    for text in &texts {
        send_input(adapter, json!({"runId": prepared.run_id(), "text": text}))?;
    }
    let positions = |adapter: &AdapterClient| -> Vec<Option<usize>> {
        let received = adapter.fake_cli.starts().pop().unwrap_or_default().received_text();
        texts.iter().map(|text| received.find(text.as_str())).collect()
    };
    // An adapter may hold back what waits for the next turn.
    adapter.listen(ORDER_WINDOW);
    let got = positions(adapter);
    let arrived: Vec<usize> = got.iter().flatten().copied().collect();
    let is_prefix = got.iter().skip_while(|position| position.is_some()).all(Option::is_none);
    let is_ordered = arrived.windows(2).all(|pair| pair[0] < pair[1]);
    adapter.cancel(prepared.run_id())?;
    adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    let sent = "three run/input requests while the agent CLI is busy";
    let expected = "the inputs arrive in their order";
    adapter.ensure(is_prefix && is_ordered, expected, format!("positions {got:?}"), sent)
}
