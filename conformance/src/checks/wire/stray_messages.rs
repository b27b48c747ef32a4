//! Messages that get no response, and `$/cancelRequest`.

use std::time::Duration;

use od_protocol::ErrorKind;
use od_protocol::adapter::DETECT_ADAPTER;
use serde_json::json;

use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::expectations::{
    SHORT_RUN_TIMEOUT, after_last_expectation, exact_answer, output_steps, still_answers,
};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::{ProbeMode, Script, Step};
use crate::outcome::{CheckOutcome, shorten};
use crate::prepared_run::PreparedRun;

const GATE: &str = "continue";
/// How long a forbidden response is waited for.
const SILENCE: Duration = Duration::from_millis(200);
/// The timeout for the agent CLI to be started.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// The rule of the responses.
const RESPONSES: &str = "WIR-01";

pub(super) fn ignored(context: &mut CheckContext) -> CheckOutcome {
    let nonce = context.nonce();
    let mut adapter = context.launch()?;
    let finished = adapter.ask("ping", json!({}));
    adapter.answer(&finished, od_protocol::adapter::PING.limit())?;
    let error = r#"{"code":-32603,"message":"no"}"#;
    let messages = [
        format!(r#""id":"{nonce}","result":{{}}"#),
        format!(r#""id":"{nonce}","error":{error}"#),
        r#""id":987654321,"result":null"#.to_owned(),
        format!(r#""id":{finished},"result":{{"late":true}}"#),
        format!(r#""id":{finished},"error":{error}"#),
        format!(r#""id":null,"error":{error}"#),
        format!(r#""method":"$/cancelRequest","params":{{"id":"{nonce}"}}"#),
        format!(r#""method":"$/cancelRequest","params":{{"id":{finished}}}"#),
        r#""method":"$/cancelRequest","params":{"id":{}}"#.to_owned(),
        r#""method":"$/cancelRequest","params":{}"#.to_owned(),
        r#""method":"$/cancelRequest","params":[1]"#.to_owned(),
        r#""method":"$/cancelRequest","params":null"#.to_owned(),
        r#""method":"$/cancelRequest","params":7"#.to_owned(),
        r#""method":"$/cancelRequest""#.to_owned(),
        format!(
            r#""method":"run/event","params":{{"runId":"{nonce}","seq":0,"ts":0,"event":{{}}}}"#
        ),
        r#""method":"run/event","params":"text""#.to_owned(),
        format!(r#""method":"_{nonce}/reload","params":{{"x":[1]}}"#),
        r#""method":"no/such/notification""#.to_owned(),
        r#""method":"ping","params":{}"#.to_owned(),
    ];
    for message in messages {
        no_response(&mut adapter, &finished, &message)?;
    }
    adapter.listen(SILENCE);
    still_answers(&mut adapter, "ping after stray messages")?;
    no_second_response(&adapter, "stray messages")?;
    if !context.suite.has_cli() || !context.suite.has_scenario("text") {
        return Ok(());
    }
    cancelled_detection(context)?;
    cancelled_run_request(context)?;
    run_is_not_stopped(context)
}

/// Sends a message without `jsonrpc`, which is added here, and a ping, whose response must be the next
/// line.
fn no_response(adapter: &mut AdapterClient, finished: &str, members: &str) -> CheckOutcome {
    let message = format!(r#"{{"jsonrpc":"2.0",{members}}}"#);
    let before = adapter.inbox.others.len();
    let answered = adapter.inbox.answers.get(finished).map(|line| line.location.line);
    adapter.send_raw(format!("{message}\n").as_bytes());
    still_answers(adapter, &format!("ping after {message}"))?;
    let stray = adapter.inbox.others.get(before).or_else(|| {
        let line = adapter.inbox.answers.get(finished);
        line.filter(|line| Some(line.location.line) != answered)
    });
    let got = stray.map(|line| shorten(&line.value.to_string(), 300));
    let is_silent = got.is_none();
    adapter.ensure(is_silent, "no response", got.unwrap_or_default(), message)
}

fn no_second_response(adapter: &AdapterClient, sent: &str) -> CheckOutcome {
    let broken = adapter.inbox.checker.broken_rules();
    match broken.into_iter().find(|(rule, _)| *rule == RESPONSES) {
        Some((_, failure)) => Err(failure.sent(sent).into()),
        None => Ok(()),
    }
}

/// A detection that waits for the agent CLI is cancelled.
fn cancelled_detection(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let prepared = context.prepare("text")?;
    let script = Script { probe_mode: ProbeMode::Hang, ..prepared.script };
    adapter.fake_cli.load_script(&script)?;
    let id = adapter.ask(DETECT_ADAPTER.name, json!({}));
    // An adapter that reads the version from files starts nothing and has answered already.
    adapter.listen(SILENCE);
    cancel_request(&mut adapter, &id);
    let answer = adapter.answer(&id, DETECT_ADAPTER.limit())?;
    let sent = "$/cancelRequest of a pending adapter/detect";
    result_or_cancelled(&adapter, &answer, sent)?;
    adapter.listen(SILENCE);
    still_answers(&mut adapter, sent)?;
    no_second_response(&adapter, sent)
}

/// `run/start` is cancelled before its response: the run completes, or it never exists.
fn cancelled_run_request(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let prepared = context.prepare("text")?;
    adapter.fake_cli.load_script(&prepared.script)?;
    let params = serde_json::to_value(&prepared.request).unwrap_or_default();
    let id = adapter.ask_run(prepared.run_id(), params);
    cancel_request(&mut adapter, &id);
    let answer = adapter.started(prepared.run_id(), &id)?;
    let sent = "$/cancelRequest of run/start before its response";
    result_or_cancelled(&adapter, &answer, sent)?;
    if let Answer::Result(_) = answer {
        completes(&mut adapter, prepared, sent)?;
    }
    no_second_response(&adapter, sent)
}

/// `run/start` is cancelled after its response, while the agent CLI waits.
fn run_is_not_stopped(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let mut prepared = context.prepare("text")?;
    let lines = output_steps(&prepared.script, after_last_expectation(&prepared.script));
    let at = lines.first().copied().unwrap_or(prepared.script.steps.len());
    prepared.script.steps.insert(at, Step::Gate { name: GATE.to_owned() });
    adapter.fake_cli.load_script(&prepared.script)?;
    let params = serde_json::to_value(&prepared.request).unwrap_or_default();
    let id = adapter.ask_run(prepared.run_id(), params);
    let sent = "$/cancelRequest of run/start after its response";
    if let refused @ Answer::Error(_) = adapter.started(prepared.run_id(), &id)? {
        return Err(adapter.failure("the run is accepted", refused.summary(), sent));
    }
    let limit = adapter.limit(START_TIMEOUT);
    adapter.fake_cli.wait_until(limit, |starts| starts.iter().any(|start| !start.gates.is_empty()));
    cancel_request(&mut adapter, &id);
    still_answers(&mut adapter, sent)?;
    adapter.listen(SILENCE);
    adapter.fake_cli.open_gate(GATE)?;
    completes(&mut adapter, prepared, sent)?;
    no_second_response(&adapter, sent)
}

fn completes(adapter: &mut AdapterClient, prepared: PreparedRun, sent: &str) -> CheckOutcome {
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    exact_answer(&CompletedRun { prepared, record, invocation: None }, sent)
}

fn cancel_request(adapter: &mut AdapterClient, id: &str) {
    let id: serde_json::Value = serde_json::from_str(id).unwrap_or_default();
    adapter.notify("$/cancelRequest", json!({"id": id}));
}

fn result_or_cancelled(adapter: &AdapterClient, answer: &Answer, sent: &str) -> CheckOutcome {
    let is_right = match answer {
        Answer::Result(_) => true,
        Answer::Error(error) => error.kind() == ErrorKind::RequestCancelled,
    };
    let expected = "exactly one response: the result, or request_cancelled";
    adapter.ensure(is_right, expected, answer.summary(), sent)
}
