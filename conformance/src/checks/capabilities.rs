//! CAP: declared capabilities work, and undeclared ones are refused.

use od_protocol::adapter::{
    DetectAdapterParams, GET_QUOTA, LIST_SESSIONS, METHODS, StartRunParams,
};
use od_protocol::{Effort, ErrorKind};
use serde_json::{Value, json};

use super::AdapterCheck;
use super::cli_input::CliInput;
use super::expectations::{completed, refused_with};
use super::option_values::options_arrive_unchanged;
use super::requested_options::{OPTION_CAPABILITIES, request_option};
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, execute_on, initialize};
use crate::outcome::{CheckOutcome, Failure, Finding, fail};
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "CAP-01",
        "`adapter/detect` declares no capability that `initialize` does not declare",
        "a host plans with the capabilities from `initialize`; detection may only narrow them",
        Gate::NONE,
        detect_narrows,
    ),
    active(
        "CAP-02",
        "an option or method without its declared capability is refused with \
         capability_unsupported, before the agent CLI is started",
        "a silently dropped option makes the run do something other than requested",
        Gate::capability("run"),
        undeclared_is_refused,
    ),
    active(
        "CAP-03",
        "every declared capability works: its events are emitted and its options are accepted",
        "hosts build their interface on capabilities; one without effect is a bug in every host",
        Gate::cli_scenario("text"),
        declared_capabilities_work,
    ),
    active(
        "CAP-04",
        "every declared option of a run reaches the agent CLI: system prompt, files, images, \
         skills, folders, tools, servers, schema, limits, modes and effort",
        "an option that is accepted and then lost makes the run do something other than requested",
        Gate::cli_scenario("text"),
        options_reach_cli,
    ),
    active(
        "CAP-05",
        "for the tested version `adapter/detect` declares what `initialize` declares, and every \
         declared option reaches the agent CLI unchanged and once",
        "an option that is changed on its way makes the run do something other than requested",
        Gate::cli_scenario("text"),
        options_arrive_unchanged,
    ),
];

/// Options of `run/start`: the capability, and members that use it.
pub(super) const OPTIONS: &[(&str, &str)] = &[
    ("models", r#"{"model":"conformance-model"}"#),
    ("effort", r#"{"effort":"low"}"#),
    ("thinkingBudget", r#"{"thinkingBudgetTokens":2048}"#),
    ("resume", r#"{"session":{"mode":"resume","id":"conformance"}}"#),
    ("fork", r#"{"session":{"mode":"fork","id":"conformance"}}"#),
    ("systemPrompt", r#"{"prompt":{"text":"hello","system":"be brief"}}"#),
    ("attachments", r#"{"prompt":{"text":"hello","attachments":["{cwd}/file.txt"]}}"#),
    (
        "images",
        r#"{"prompt":{"text":"hello","images":[{"mime":"image/png","data":"iVBORw0KGgo="}]}}"#,
    ),
    ("skills", r#"{"skills":["{cwd}"]}"#),
    ("addDirs", r#"{"addDirs":["{cwd}"]}"#),
    ("toolLists", r#"{"deniedTools":["conformance"]}"#),
    ("permissionModes", r#"{"permissionMode":"conformance"}"#),
    ("policy", r#"{"policy":{"shellDeny":["conformance"]}}"#),
    (
        "mcpServers",
        r#"{"mcpServers":[{"name":"conformance","transport":"stdio","command":"conformance"}]}"#,
    ),
    ("outputSchema", r#"{"outputSchema":{"type":"object"}}"#),
    ("maxTurns", r#"{"maxTurns":3}"#),
];

/// Options whose example above must be accepted by every adapter that declares them.
const ALWAYS_ACCEPTED: &[&str] = &["systemPrompt", "addDirs", "toolLists", "maxTurns"];

/// Capabilities that are visible as events: the scenario and the event.
const EVENT_CAPABILITIES: &[(&str, &str, &str)] = &[
    ("textDeltas", "text", "text_delta"),
    ("thinking", "thinking", "thinking_delta"),
    ("tools", "tool_ok", "tool_call_started"),
    ("fileChanges", "file_write", "file_change"),
    ("usage", "usage", "usage"),
    ("subagents", "subagent", "subagent_started"),
];

fn detect_narrows(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    let declared = initialize(&mut adapter, &LaunchOptions::default())?.capabilities;
    let detected = adapter.call(&DetectAdapterParams::default())?.capabilities;
    let declared = serde_json::to_value(declared).unwrap_or_default();
    let detected = serde_json::to_value(detected).unwrap_or_default();
    match wider(&detected, &declared, "") {
        None => Ok(()),
        Some(path) => Err(adapter.failure(
            format!("only capabilities of `initialize`: {declared}"),
            format!("`adapter/detect` adds {path}: {detected}"),
            "initialize, then adapter/detect",
        )),
    }
}

/// Returns the first capability that is detected but not declared.
fn wider(detected: &Value, declared: &Value, path: &str) -> Option<String> {
    match (detected, declared) {
        (Value::Object(detected), Value::Object(declared)) => {
            detected.iter().find_map(|(name, value)| match declared.get(name) {
                Some(other) => wider(value, other, &format!("{path}/{name}")),
                None if value.is_null() || *value == Value::Bool(false) => None,
                None => Some(format!("{path}/{name}")),
            })
        }
        (Value::Array(detected), Value::Array(declared)) => detected
            .iter()
            .find(|entry| !declared.contains(entry))
            .map(|entry| format!("{path}: {entry}")),
        (Value::Bool(true), Value::Bool(false)) => Some(path.to_owned()),
        _ => None,
    }
}

fn undeclared_is_refused(context: &mut CheckContext) -> CheckOutcome {
    let cwd = context.folder("cwd")?;
    let cwd = cwd.to_string_lossy().into_owned();
    let mut adapter = context.launch()?;
    for (capability, members) in OPTIONS {
        if context.suite.declares(capability) {
            continue;
        }
        let request = with_members(&context.nonce(), &cwd, members)?;
        let sent = format!("run/start with {members}; {capability} is not declared");
        refused_with(&mut adapter, &request, &[ErrorKind::CapabilityUnsupported], &sent)?;
    }
    let kind = ErrorKind::CapabilityUnsupported;
    for method in METHODS {
        let Some(gate) = method.gate.filter(|gate| !context.suite.declares(gate)) else { continue };
        let params = json!({
            "id": "conformance", "runId": "conformance", "text": "hello",
            "approvalId": "conformance", "outcome": "reject_once",
        });
        let answer = adapter.request(method.name, params)?;
        adapter.expect_error(answer, &kind, &format!("{}; {gate} is not declared", method.name))?;
    }
    Ok(())
}

/// Builds a `run/start` request with additional members.
pub(super) fn with_members(
    nonce: &str,
    cwd: &str,
    members: &str,
) -> Result<StartRunParams, Finding> {
    let suite_error = |error: serde_json::Error| Finding::Suite(error.to_string());
    let mut request = json!({"runId": format!("run-{nonce}"), "cwd": cwd});
    request["prompt"] = json!({"text": format!("conformance {nonce}")});
    let cwd_inside = json!(cwd).to_string();
    let members = members.replace("{cwd}", cwd_inside.trim_matches('"'));
    let members: Value = serde_json::from_str(&members).map_err(suite_error)?;
    for (name, value) in members.as_object().into_iter().flatten() {
        request[name] = value.clone();
    }
    serde_json::from_value(request).map_err(suite_error)
}

fn declared_capabilities_work(context: &mut CheckContext) -> CheckOutcome {
    for (capability, scenario, event) in EVENT_CAPABILITIES {
        if !context.suite.declares(capability) {
            continue;
        }
        let completed_run = context.shared_run(scenario)?;
        if completed_run.record.position(event).is_none() {
            return Err(Failure::new(
                format!("`{event}`, since {capability} is declared"),
                format!("the events were: {}", completed_run.record.summary()),
            )
            .sent(format!("run/start of scenario {scenario}"))
            .into());
        }
    }
    let efforts = declared_names(context, "/effort/levels")?;
    let efforts = efforts.into_iter().map(|level| json!({"effort": level}).to_string());
    let options = OPTIONS.iter().filter(|(name, _)| ALWAYS_ACCEPTED.contains(name));
    let declared = options.filter(|(name, _)| context.suite.declares(name));
    let samples: Vec<String> =
        declared.map(|(_, members)| (*members).to_owned()).chain(efforts).collect();
    let mut adapter = context.launch()?;
    for members in samples {
        let mut prepared = context.prepare("text")?;
        let nonce = context.nonce();
        prepared.request = with_members(&nonce, &prepared.request.cwd, &members)?;
        let sent = format!("run/start with {members}, which is declared");
        match execute_on(&mut adapter, prepared) {
            Ok(completed_run) => completed(&completed_run.record, &sent)?,
            Err(Finding::Fail(failure)) => return fail(sent, failure.got),
            Err(other) => return Err(other),
        }
    }
    methods_answer(context, &mut adapter)
}

/// Fails unless methods that need no run return a result.
fn methods_answer(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    for (capability, method) in [("quota", GET_QUOTA), ("sessions", LIST_SESSIONS)] {
        if !context.suite.declares(capability) {
            continue;
        }
        if context.suite.has_scenario(capability) {
            adapter.fake_cli.load_script(&context.prepare(capability)?.script)?;
        }
        let answer = adapter.request(method.name, json!({"limit": 5}))?;
        if let refused @ Answer::Error(_) = answer {
            let expected = format!("a result, since {capability} is declared");
            return Err(adapter.failure(expected, refused.summary(), method.name));
        }
    }
    Ok(())
}

/// Returns the names that a capability lists.
fn declared_names(context: &CheckContext, pointer: &str) -> Result<Vec<String>, Finding> {
    let manifest = context.manifest()?;
    let names = manifest["capabilities"].pointer(pointer).and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    Ok(names.map(str::to_owned).collect())
}

fn options_reach_cli(context: &mut CheckContext) -> CheckOutcome {
    let given = context.folder("given")?;
    let mut adapter = context.launch()?;
    for capability in OPTION_CAPABILITIES {
        if !context.suite.declares(capability) {
            continue;
        }
        let mut prepared = prepared(context)?;
        let mark = format!("mark{}", context.nonce());
        let mark_in_input = request_option(capability, &mut prepared.request, &given, &mark)?;
        let sent = format!("run/start with the option of {capability}, which is declared");
        let input = CliInput::record(context, &mut adapter, &prepared, &sent)?;
        if !mark_in_input.is_in(&input) {
            let expected = format!(
                "{} in an argument, a variable, its stdin or a file below its home",
                mark_in_input.describe()
            );
            return Err(option_lost(&adapter, expected, &input, &sent));
        }
    }
    modes_reach_cli(context, &mut adapter)?;
    efforts_reach_cli(context, &mut adapter)
}

/// Prepares the plain answer, or the pack's own scenario for runs with options.
pub(super) fn prepared(context: &mut CheckContext) -> Result<PreparedRun, Finding> {
    let has_own = context.suite.has_scenario("options");
    context.prepare(if has_own { "options" } else { "text" })
}

/// The same for a mode, which may make the agent CLI use a different output.
fn prepare_for_mode(context: &mut CheckContext, mode: &str) -> Result<PreparedRun, Finding> {
    let scenario = format!("mode_{mode}");
    match context.suite.has_scenario(&scenario) {
        true => context.prepare(&scenario),
        false => prepared(context),
    }
}

/// Modes have the agent CLI's own names, so each reaches it unchanged; only the default mode may be
/// omitted.
fn modes_reach_cli(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let mut missing_modes = Vec::new();
    for mode in declared_names(context, "/permissionModes/modes")? {
        let mut prepared = prepare_for_mode(context, &mode)?;
        prepared.request.permission_mode = Some(mode.clone());
        let sent = format!("run/start with permissionMode {mode:?}, which is declared");
        let input = CliInput::record(context, adapter, &prepared, &sent)?;
        if !input.has(&mode) {
            missing_modes.push(mode);
        }
        if missing_modes.len() > 1 {
            let expected = "each mode except the default reaches the agent CLI by its name";
            return Err(option_lost(
                adapter,
                format!("{expected}; missing: {missing_modes:?}"),
                &input,
                &sent,
            ));
        }
    }
    Ok(())
}

/// Levels are mapped to the agent CLI's own names or numbers, so they must make a difference.
fn efforts_reach_cli(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let levels = declared_names(context, "/effort/levels")?;
    let prepared = prepared(context)?;
    let mut first: Option<CliInput> = None;
    for level in &levels {
        let mut prepared = prepared.clone();
        prepared.request.effort = Some(Effort::from_wire(level));
        let sent = format!("run/start with effort {level:?}, which is declared");
        let input = CliInput::record(context, adapter, &prepared, &sent)?;
        match &first {
            Some(first) if *first != input => return Ok(()),
            Some(_) => {}
            None => first = Some(input),
        }
    }
    match first {
        Some(input) if levels.len() > 1 => {
            let sent = format!("run/start with effort {}", levels.join(", then "));
            Err(option_lost(
                adapter,
                "the agent CLI receives different input for different levels",
                &input,
                &sent,
            ))
        }
        _ => Ok(()),
    }
}

fn option_lost(
    adapter: &AdapterClient,
    expected: impl Into<String>,
    input: &CliInput,
    sent: &str,
) -> Finding {
    adapter.failure(expected, input.summary(), sent)
}
