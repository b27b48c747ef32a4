//! Requests during and after `shutdown`.

use od_protocol::ErrorKind;
use od_protocol::adapter::SHUTDOWN;
use serde_json::{Value, json};

use super::{EXIT_TIMEOUT, exits_with_zero, initialize_params};
use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::cancellation::{prepare_hanging, start_and_wait_for_output};
use crate::checks::expectations::still_answers;
use crate::context::{CheckContext, LaunchOptions};
use crate::outcome::CheckOutcome;

/// The grace period of a shutdown that is still pending when requests arrive.
const PENDING_GRACE_MS: u64 = 1_500;

pub(super) fn refused(context: &mut CheckContext) -> CheckOutcome {
    after_response(context)?;
    if context.suite.declares("run")
        && context.suite.has_scenario("text")
        && context.suite.has_cli()
    {
        return during_shutdown(context);
    }
    Ok(())
}

fn after_response(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let answer = adapter.request(SHUTDOWN.name, json!({}))?;
    let is_result = matches!(answer, Answer::Result(_));
    adapter.ensure(is_result, "the result {}", answer.summary(), "shutdown")?;
    let starts = adapter.fake_cli.invocations().len();
    for (method, params) in requests(context, &adapter)? {
        refused_call(&mut adapter, method, params, "shutdown was answered")?;
    }
    still_answers(&mut adapter, "ping after shutdown")?;
    let started = adapter.fake_cli.invocations().len() - starts;
    let got = format!("it was started {started} time(s)");
    adapter.ensure(started == 0, "the agent CLI is not started", got, "requests after shutdown")?;
    adapter.close_stdin();
    exits_with_zero(&mut adapter, "shutdown, then stdin closed")
}

/// A shutdown waits for an agent CLI that ignores signals.
fn during_shutdown(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.script.ignore_polite_stops();
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let id = adapter.ask(SHUTDOWN.name, json!({"graceMs": PENDING_GRACE_MS}));
    for (method, params) in requests(context, &adapter)? {
        if method != SHUTDOWN.name {
            refused_call(&mut adapter, method, params, "shutdown is pending")?;
        }
    }
    still_answers(&mut adapter, "ping during shutdown")?;
    adapter.answer(&id, SHUTDOWN.limit() + EXIT_TIMEOUT).map(drop)
}

/// Every declared method except `ping`, with valid parameters.
fn requests(
    context: &mut CheckContext,
    adapter: &AdapterClient,
) -> Result<Vec<(&'static str, Value)>, crate::outcome::Finding> {
    let nonce = context.nonce();
    let run_id = format!("run-{nonce}");
    let cwd = context.folder("cwd")?.to_string_lossy().into_owned();
    let initialize = initialize_params(adapter, &LaunchOptions::default());
    let declared = |capability: &str| context.suite.declares(capability);
    let run = json!({"runId": run_id, "cwd": cwd, "prompt": {"text": format!("hello {nonce}")}});
    let input = json!({"runId": run_id, "text": "more"});
    let respond = json!({"runId": run_id, "approvalId": "a", "outcome": "reject_once"});
    let all = [
        ("run/start", run, declared("run")),
        ("run/cancel", json!({"runId": run_id}), declared("run")),
        ("adapter/detect", json!({}), true),
        ("adapter/health", json!({}), true),
        ("models/list", json!({}), declared("models")),
        ("quota/get", json!({}), declared("quota")),
        ("sessions/list", json!({}), declared("sessions")),
        ("run/input", input, declared("input")),
        ("run/respond", respond, declared("approvals")),
        ("initialize", serde_json::to_value(initialize).unwrap_or_default(), true),
        ("shutdown", json!({}), true),
    ];
    let declared = all.into_iter().filter(|(_, _, is_declared)| *is_declared);
    Ok(declared.map(|(method, params, _)| (method, params)).collect())
}

fn refused_call(
    adapter: &mut AdapterClient,
    method: &str,
    params: Value,
    state: &str,
) -> CheckOutcome {
    let answer = adapter.request(method, params)?;
    let is_refused = |kind: &ErrorKind| {
        *kind == ErrorKind::ShuttingDown
            || (method == "initialize" && *kind == ErrorKind::AlreadyInitialized)
    };
    let is_right = matches!(&answer, Answer::Error(error) if is_refused(&error.kind()));
    let sent = format!("{method}; {state}");
    adapter.ensure(is_right, "the error 1004 (shutting_down)", answer.summary(), sent)
}
