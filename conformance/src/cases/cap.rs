//! CAP: what an adapter says it can do, and nothing else.

use od_protocol::{DetectAdapterParams, ErrorKind, METHODS, StartRunParams};
use serde_json::{Value, json};

use super::expectations::{completed, refused_with};
use crate::bench::{Bench, CliPath, Setup, initialize, perform_on};
use crate::case::{Check, Gate, active};
use crate::verdict::{Failure, Finding, Verdict, fail};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "CAP-01",
        "`adapter/detect` declares nothing that `initialize` does not",
        "a host plans with what `initialize` said; detection may only narrow it",
        Gate::NONE,
        detect_narrows,
    ),
    active(
        "CAP-02",
        "an option or method whose capability is not declared is refused with \
         capability_unsupported, before the agent CLI is started",
        "an option that is dropped in silence makes a run that does something else than was asked",
        Gate::capability("run"),
        undeclared_is_refused,
    ),
    active(
        "CAP-03",
        "what is declared is demonstrated: events come, options are accepted",
        "hosts build buttons on capabilities; one that does nothing is a bug in every host",
        Gate::cli_scenario("text"),
        declared_is_shown,
    ),
];

/// Options of `run/start`: the capability, and members that ask for it.
const OPTIONS: &[(&str, &str)] = &[
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

/// Options whose sample above every adapter that declares them can take.
const ACCEPTED: &[&str] = &["systemPrompt", "addDirs", "toolLists", "maxTurns"];

/// Capabilities that show as events: the scenario and the event.
const SHOWN: &[(&str, &str, &str)] = &[
    ("textDeltas", "text", "text_delta"),
    ("thinking", "thinking", "thinking_delta"),
    ("tools", "tool_ok", "tool_call_started"),
    ("fileChanges", "file_write", "file_change"),
    ("usage", "usage", "usage"),
    ("subagents", "subagent", "subagent_started"),
];

fn detect_narrows(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup { initialize: false, ..Setup::default() })?;
    let declared = initialize(&mut plugin, &CliPath::StandIn)?.capabilities;
    let detected = plugin.call(&DetectAdapterParams::default())?.capabilities;
    let declared = serde_json::to_value(declared).unwrap_or_default();
    let detected = serde_json::to_value(detected).unwrap_or_default();
    match wider(&detected, &declared, "") {
        None => Ok(()),
        Some(path) => Err(Failure::new(
            format!("only capabilities of `initialize`: {declared}"),
            format!("`adapter/detect` adds {path}: {detected}"),
        )
        .sent("initialize, then adapter/detect")
        .at(plugin.place())
        .into()),
    }
}

/// The first thing that is in one and not in the other.
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

fn undeclared_is_refused(bench: &mut Bench) -> Verdict {
    let cwd = bench.folder("cwd")?;
    let cwd = cwd.to_string_lossy().into_owned();
    let mut plugin = bench.launch(&Setup::default())?;
    for (capability, members) in OPTIONS {
        if bench.suite.declares(capability) {
            continue;
        }
        let request = with_members(&bench.nonce(), &cwd, members)?;
        let sent = format!("run/start with {members}; {capability} is not declared");
        refused_with(&mut plugin, &request, &[ErrorKind::CapabilityUnsupported], &sent)?;
    }
    let kind = ErrorKind::CapabilityUnsupported;
    for method in METHODS {
        let Some(gate) = method.gate.filter(|gate| !bench.suite.declares(gate)) else { continue };
        let params = json!({
            "id": "conformance", "runId": "conformance", "text": "hello",
            "approvalId": "conformance", "outcome": "reject_once",
        });
        let answer = plugin.request(method.name, params)?;
        plugin.expect_error(answer, &kind, &format!("{}; {gate} is not declared", method.name))?;
    }
    Ok(())
}

/// A `run/start` with more members.
fn with_members(nonce: &str, cwd: &str, members: &str) -> Result<StartRunParams, Finding> {
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

fn declared_is_shown(bench: &mut Bench) -> Verdict {
    for (capability, scenario, event) in SHOWN {
        if !bench.suite.declares(capability) {
            continue;
        }
        let performance = bench.shared_run(scenario)?;
        if performance.record.position(event).is_none() {
            return Err(Failure::new(
                format!("`{event}`, since {capability} is declared"),
                format!("the events were: {}", performance.record.summary()),
            )
            .sent(format!("run/start of scenario {scenario}"))
            .into());
        }
    }
    let efforts = bench.stated()?["capabilities"]["effort"]["levels"].clone();
    let efforts = efforts.as_array().cloned().unwrap_or_default();
    let efforts = efforts.into_iter().map(|level| json!({"effort": level}).to_string());
    let options = OPTIONS.iter().filter(|(name, _)| ACCEPTED.contains(name));
    let declared = options.filter(|(name, _)| bench.suite.declares(name));
    let samples: Vec<String> =
        declared.map(|(_, members)| (*members).to_owned()).chain(efforts).collect();
    let mut plugin = bench.launch(&Setup::default())?;
    for members in samples {
        let mut play = bench.prepare("text")?;
        let nonce = bench.nonce();
        play.request = with_members(&nonce, &play.request.cwd, &members)?;
        let sent = format!("run/start with {members}, which is declared");
        match perform_on(&mut plugin, play) {
            Ok(performance) => completed(&performance.record, &sent)?,
            Err(Finding::Fail(failure)) => return fail(sent, failure.got),
            Err(other) => return Err(other),
        }
    }
    Ok(())
}
