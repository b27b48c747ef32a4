//! Two runs of one process, one after the other.

use od_protocol::adapter::CancelRunParams;
use serde_json::Value;

use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::checks::cancellation::STOP_TIMEOUT;
use crate::checks::expectations::{
    SHORT_RUN_TIMEOUT, after_last_expectation, exact_answer, output_steps, plain_answer,
    received_text,
};
use crate::context::{CheckContext, CompletedRun, execute_on};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding, shorten};
use crate::pack::Values;
use crate::prepared_run::PreparedRun;
use crate::script_variants::cut_after;

/// The scenarios for the first run, the most informative first.
const FIRST_SCENARIOS: &[&str] = &["tool_ok", "thinking", "usage", "text"];
/// Values of the first run that may not occur in the second.
const MARKED_VALUES: &[&str] = &[
    "second_text",
    "message_id",
    "tool_id",
    "tool_command",
    "tool_output",
    "session_id",
    "new_session_id",
    "model",
    "nonce",
];
/// A variable of the first run only.
const VARIABLE: &str = "CONFORMANCE_FIRST_RUN";

/// How the first run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FirstEnd {
    Completed,
    Failed,
    Cancelled,
}

pub(super) fn nothing_is_kept(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    for end in [FirstEnd::Completed, FirstEnd::Failed, FirstEnd::Cancelled] {
        let mut adapter = context.launch()?;
        let (values, mut marks) = first_run(context, &mut adapter, end)?;
        let prepared = context.prepare("text")?;
        // Both runs may use the same constant, such as a model that the pack writes itself.
        let own = format!("{:?} {:?}", prepared.values, prepared.script);
        marks.retain(|mark| !own.contains(mark.as_str()));
        let second = execute_on(&mut adapter, prepared)?;
        let sent = format!("run/start after a run that ended as {end:?}");
        exact_answer(&second, &sent)?;
        check_events(&second.record, &marks, &values, &sent)?;
        check_cli(&second, &marks, &sent)?;
    }
    Ok(())
}

/// Runs the first run to its end; returns its values and the texts that belong to it only.
fn first_run(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    end: FirstEnd,
) -> Result<(Values, Vec<String>), Finding> {
    let scenario = FIRST_SCENARIOS.iter().find(|name| context.suite.has_scenario(name));
    let mut prepared = context.prepare(scenario.unwrap_or(&"text"))?;
    let (variable, system, problem) = (context.nonce(), context.nonce(), context.nonce());
    prepared.request.env.insert(VARIABLE.to_owned(), variable.clone());
    change_end(&mut prepared, end, &problem);
    let plain = prepared.clone();
    if context.suite.declares("systemPrompt") {
        prepared.request.prompt.system = Some(format!("Answer briefly, {system}."));
    }
    // An agent CLI whose pack does not know the option fails, which is an end too.
    if let Answer::Error(_) = adapter.try_begin(&prepared)? {
        prepared = plain;
        adapter.begin(&prepared)?;
    }
    if end == FirstEnd::Cancelled {
        cancel_when_printed(adapter, &prepared)?;
    }
    adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    let values = prepared.values.clone();
    let texts =
        values.deltas.iter().chain(&values.thinking_deltas).map(|text| text.trim().to_owned());
    let marks = MARKED_VALUES.iter().map(|name| values.text(name)).chain(texts);
    let marks = marks.chain([variable, system, problem]).filter(|mark| mark.len() > 5).collect();
    Ok((values, marks))
}

fn change_end(prepared: &mut PreparedRun, end: FirstEnd, problem: &str) {
    let from = after_last_expectation(&prepared.script);
    let lines = output_steps(&prepared.script, from);
    let before = output_steps(&prepared.script, 0).len() - lines.len();
    let kept = before + lines.len() / 2;
    let ending = match end {
        FirstEnd::Completed => return,
        FirstEnd::Failed => {
            vec![Step::Err { text: format!("fatal: {problem}") }, Step::Exit { code: 9 }]
        }
        FirstEnd::Cancelled => vec![Step::Gate { name: "never".to_owned() }],
    };
    prepared.script = cut_after(&prepared.script, kept, &ending);
}

/// Cancels the run when the agent CLI has printed what it prints.
fn cancel_when_printed(adapter: &mut AdapterClient, prepared: &PreparedRun) -> CheckOutcome {
    let limit = adapter.limit(STOP_TIMEOUT);
    adapter.fake_cli.wait_until(limit, |starts| {
        starts.iter().any(|start| !start.gates.is_empty() || start.ended)
    });
    let run_id = prepared.run_id().to_owned();
    adapter.call(&CancelRunParams { run_id, grace_ms: Some(200), reason: None }).map(drop)
}

fn check_events(record: &RunRecord, marks: &[String], first: &Values, sent: &str) -> CheckOutcome {
    for received in &record.events {
        let text = received.value.to_string();
        let found = marks.iter().find(|mark| text.contains(mark.as_str()));
        let got = format!("{found:?} of the first run in {}", shorten(&text, 300));
        record.ensure(found.is_none(), "nothing of the first run in the second", got, sent)?;
        let usage = match received.type_name() {
            "usage" => &received.value,
            "done" => &received.value["totals"]["usage"],
            _ => continue,
        };
        let same =
            |member: &str, name: &str| first.number(name).is_some_and(|it| usage[member] == it);
        let is_first = same("inputTokens", "input_tokens") && same("outputTokens", "output_tokens");
        let got = format!("the usage of the first run: {}", shorten(&usage.to_string(), 300));
        record.ensure(!is_first, "the usage of the second run, or none", got, sent)?;
    }
    let seq = record.events.first().map(|received| received.seq);
    record.ensure(seq == Some(0), "seq starts at 0", format!("{seq:?}"), sent)
}

fn check_cli(second: &CompletedRun, marks: &[String], sent: &str) -> CheckOutcome {
    let Some(invocation) = &second.invocation else { return Ok(()) };
    let has_variable = invocation.env.contains_key(VARIABLE);
    let got = format!("{VARIABLE} is set");
    let expected = "the agent CLI of the second run gets nothing of the first one";
    second.record.ensure(!has_variable, expected, got, sent)?;
    let found = marks.iter().find(|mark| received_text(invocation, mark));
    let got = format!(
        "{found:?} in its arguments {:?}, its variables or its input",
        Value::from(invocation.args.clone())
    );
    second.record.ensure(found.is_none(), expected, got, sent)
}
