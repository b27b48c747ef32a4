//! Absent and null parameters, and null members.

use od_protocol::adapter::{METHODS, SHUTDOWN};
use serde_json::{Value, json};

use super::ask_text;
use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::expectations::{SHORT_RUN_TIMEOUT, completed, exact_answer};
use crate::context::{CheckContext, CompletedRun, LaunchOptions, initialize_params};
use crate::outcome::{CheckOutcome, Finding, shorten};

/// Methods without required parameters, each with the capability that it needs.
const METHODS_WITHOUT_PARAMETERS: [(&str, Option<&str>); 6] = [
    ("ping", None),
    ("adapter/health", None),
    ("adapter/detect", None),
    ("models/list", Some("models")),
    ("quota/get", Some("quota")),
    ("sessions/list", Some("sessions")),
];

/// The members of `run/start` that may be null, as JSON pointers.
const NULLABLE_MEMBERS: &[&str] = &[
    "/_meta",
    "/allowedTools",
    "/deniedTools",
    "/effort",
    "/maxTurns",
    "/model",
    "/outputSchema",
    "/permissionMode",
    "/policy",
    "/thinkingBudgetTokens",
    "/tracePath",
    "/prompt/system",
    "/session/id",
    "/timeouts/startMs",
    "/timeouts/idleMs",
    "/timeouts/totalMs",
];

pub(super) fn absent_and_null(context: &mut CheckContext) -> CheckOutcome {
    only_required_members(context)?;
    methods_without_parameters(context)?;
    shutdown_without_parameters(context)?;
    null_members(context)
}

/// `initialize` with its required members only: the adapter searches PATH.
fn only_required_members(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    let params = required_members(&adapter);
    expect_result(&mut adapter, "initialize", &params)?;
    expect_result(&mut adapter, "adapter/health", &json!({}))
}

fn required_members(adapter: &AdapterClient) -> Value {
    let params = initialize_params(adapter, &LaunchOptions::default());
    json!({"protocol": params.protocol, "host": params.host})
}

fn methods_without_parameters(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    for (method, capability) in METHODS_WITHOUT_PARAMETERS {
        if capability.is_some_and(|name| !context.suite.declares(name)) {
            continue;
        }
        let usual = adapter.request(method, json!({}))?;
        for form in ["", ",\"params\":null"] {
            let id = format!("\"{}\"", context.nonce());
            let answer = call(&mut adapter, &id, method, form)?;
            let is_same = match (&usual, &answer) {
                (Answer::Result(_), Answer::Result(_)) => true,
                (Answer::Error(one), Answer::Error(other)) => one.kind() == other.kind(),
                _ => false,
            };
            let sent = format!("{method} {}", shown(form));
            let expected = format!("as with empty parameters: {}", usual.summary());
            adapter.ensure(is_same, expected, answer.summary(), sent)?;
        }
    }
    Ok(())
}

fn shutdown_without_parameters(context: &mut CheckContext) -> CheckOutcome {
    for form in ["", ",\"params\":null", ",\"params\":{\"graceMs\":null}"] {
        let mut adapter = context.launch()?;
        let answer = call(&mut adapter, "\"end\"", SHUTDOWN.name, form)?;
        let is_result = matches!(answer, Answer::Result(_));
        let sent = format!("shutdown {}", shown(form));
        adapter.ensure(is_result, "the result {}", answer.summary(), sent)?;
    }
    Ok(())
}

/// Sends a request with this text in place of its parameters.
fn call(
    adapter: &mut AdapterClient,
    id: &str,
    method: &str,
    form: &str,
) -> Result<Answer, Finding> {
    let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"{form}}}");
    let key = ask_text(adapter, id, method, &message);
    let known = METHODS.iter().find(|known| known.name == method);
    adapter.answer(&key, known.map_or(SHUTDOWN.limit(), |known| known.limit()))
}

fn shown(form: &str) -> &str {
    if form.is_empty() { "without params" } else { form.trim_start_matches(',') }
}

/// `initialize` and `run/start` with null for every member that may be null.
fn null_members(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    let mut params = required_members(&adapter);
    params["capabilities"] = json!({"approvals": null});
    params["config"] = json!({"cliPath": null, "stateDir": null});
    expect_result(&mut adapter, "initialize", &params)?;
    expect_result(&mut adapter, "adapter/health", &json!({}))?;

    let mut adapter = context.launch_uninitialized()?;
    params["hostPid"] = Value::Null;
    params["_meta"] = Value::Null;
    // Without approvals some agent CLIs use another output.
    params["capabilities"] = json!({"approvals": {}});
    let cli_path = adapter.fake_cli.executable().to_string_lossy().into_owned();
    params["config"] = json!({"cliPath": cli_path, "stateDir": null});
    expect_result(&mut adapter, "initialize", &params)?;
    if !context.suite.has_scenario("text") || !context.suite.declares("run") {
        return Ok(());
    }
    let prepared = context.prepare("text")?;
    let mut request = serde_json::to_value(&prepared.request).unwrap_or_default();
    NULLABLE_MEMBERS.iter().for_each(|pointer| set_null(&mut request, pointer));
    adapter.fake_cli.load_script(&prepared.script)?;
    let sent = "run/start with null for every member that may be null";
    match adapter.start_run_with(prepared.run_id(), request)? {
        Answer::Result(_) => {}
        refused @ Answer::Error(_) => {
            return Err(adapter.failure("the run is accepted", refused.summary(), sent));
        }
    }
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    if !context.suite.has_cli() {
        return completed(&record, sent);
    }
    exact_answer(&CompletedRun { prepared, record, invocation: None }, sent)
}

/// Sets a member to null unless it has a value.
fn set_null(params: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
    let parent = match parent.strip_prefix('/') {
        Some("session") if params["session"].is_null() => {
            params["session"] = json!({"mode": "new"});
            &mut params["session"]
        }
        Some("timeouts") if params["timeouts"].is_null() => {
            params["timeouts"] = json!({});
            &mut params["timeouts"]
        }
        Some(member) => &mut params[member],
        None => params,
    };
    if let Value::Object(members) = parent {
        members.entry(name).or_insert(Value::Null);
    }
}

fn expect_result(adapter: &mut AdapterClient, method: &str, params: &Value) -> CheckOutcome {
    let sent = format!("{method} {}", shorten(&params.to_string(), 300));
    let answer = adapter.request(method, params.clone())?;
    let is_result = matches!(answer, Answer::Result(_));
    adapter.ensure(is_result, "a result", answer.summary(), sent)
}
