//! CAP: what an adapter says it can do, and nothing else.

use od_protocol::{
    DetectAdapterParams, Effort, ErrorKind, GET_QUOTA, LIST_SESSIONS, METHODS, StartRunParams,
};
use serde_json::{Value, json};

use super::expectations::{completed, refused_with};
use super::told::Told;
use super::wishes::{WISHES, wish};
use crate::bench::{Bench, CliPath, Setup, initialize, perform_on};
use crate::case::{Check, Gate, active};
use crate::play::Play;
use crate::plugin::{Answer, Plugin};
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
    active(
        "CAP-04",
        "each option of a run that is declared reaches the agent CLI: system prompt, files, \
         pictures, skills, folders, tools, servers, schema, limits, modes and effort",
        "an option that is accepted and lost makes a run that does something else than was asked",
        Gate::cli_scenario("text"),
        options_reach_cli,
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
    let efforts = declared_words(bench, "/effort/levels")?;
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
    methods_answer(bench, &mut plugin)
}

/// Methods that need no run are answered with a result.
fn methods_answer(bench: &mut Bench, plugin: &mut Plugin) -> Verdict {
    for (capability, method) in [("quota", GET_QUOTA), ("sessions", LIST_SESSIONS)] {
        if !bench.suite.declares(capability) {
            continue;
        }
        let has_it = bench.suite.pack.as_ref().is_some_and(|pack| pack.has(capability));
        if has_it {
            plugin.stand_in.play(&bench.prepare(capability)?.script)?;
        }
        let answer = plugin.request(method.name, json!({"limit": 5}))?;
        if let refused @ Answer::Error(_) = answer {
            let expected = format!("a result, since {capability} is declared");
            let failure = Failure::new(expected, refused.summary()).sent(method.name);
            return Err(failure.at(plugin.place()).into());
        }
    }
    Ok(())
}

/// Words that a capability lists.
fn declared_words(bench: &Bench, pointer: &str) -> Result<Vec<String>, Finding> {
    let stated = bench.stated()?;
    let words = stated["capabilities"].pointer(pointer).and_then(Value::as_array);
    let words = words.into_iter().flatten().filter_map(Value::as_str);
    Ok(words.map(str::to_owned).collect())
}

fn options_reach_cli(bench: &mut Bench) -> Verdict {
    let given = bench.folder("given")?;
    let mut plugin = bench.launch(&Setup::default())?;
    for capability in WISHES {
        if !bench.suite.declares(capability) {
            continue;
        }
        let mut play = prepared(bench)?;
        let mark = format!("mark{}", bench.nonce());
        let sign = wish(capability, &mut play.request, &given, &mark)?;
        let sent = format!("run/start with the option of {capability}, which is declared");
        let told = Told::by(bench, &mut plugin, &play, &sent)?;
        if !sign.is_in(&told) {
            let expected = format!(
                "{} in an argument, a variable, something it hears or a file below its home",
                sign.words()
            );
            return Err(lost(&plugin, expected, &told, &sent));
        }
    }
    modes_reach_cli(bench, &mut plugin)?;
    efforts_reach_cli(bench, &mut plugin)
}

/// The plain answer, or what the pack plays in its place for runs with options.
fn prepared(bench: &mut Bench) -> Result<Play, Finding> {
    let has_own = bench.suite.pack.as_ref().is_some_and(|pack| pack.has("options"));
    bench.prepare(if has_own { "options" } else { "text" })
}

/// The same for a mode, which may make the agent CLI speak in another way altogether.
fn prepared_for(bench: &mut Bench, mode: &str) -> Result<Play, Finding> {
    let scenario = format!("mode_{mode}");
    match bench.suite.pack.as_ref().is_some_and(|pack| pack.has(&scenario)) {
        true => bench.prepare(&scenario),
        false => prepared(bench),
    }
}

/// Modes are named in the agent CLI's own words, so each is told as it is; the usual one may go
/// without saying.
fn modes_reach_cli(bench: &mut Bench, plugin: &mut Plugin) -> Verdict {
    let mut unsaid = Vec::new();
    for mode in declared_words(bench, "/permissionModes/modes")? {
        let mut play = prepared_for(bench, &mode)?;
        play.request.permission_mode = Some(mode.clone());
        let sent = format!("run/start with permissionMode {mode:?}, which is declared");
        let told = Told::by(bench, plugin, &play, &sent)?;
        if !told.has(&mode) {
            unsaid.push(mode);
        }
        if unsaid.len() > 1 {
            let expected = "each mode but the usual one is told by its name";
            return Err(lost(plugin, format!("{expected}, not only {unsaid:?}"), &told, &sent));
        }
    }
    Ok(())
}

/// Levels are turned into the agent CLI's own words or numbers, so they must make a difference.
fn efforts_reach_cli(bench: &mut Bench, plugin: &mut Plugin) -> Verdict {
    let levels = declared_words(bench, "/effort/levels")?;
    let play = prepared(bench)?;
    let mut first: Option<Told> = None;
    for level in &levels {
        let mut play = play.clone();
        play.request.effort = Some(Effort::from_wire(level));
        let sent = format!("run/start with effort {level:?}, which is declared");
        let told = Told::by(bench, plugin, &play, &sent)?;
        match &first {
            Some(first) if *first != told => return Ok(()),
            Some(_) => {}
            None => first = Some(told),
        }
    }
    match first {
        Some(told) if levels.len() > 1 => {
            let sent = format!("run/start with effort {}", levels.join(", then "));
            Err(lost(plugin, "the agent CLI is told different things", &told, &sent))
        }
        _ => Ok(()),
    }
}

fn lost(plugin: &Plugin, expected: impl Into<String>, told: &Told, sent: &str) -> Finding {
    Failure::new(expected, told.words()).sent(sent).at(plugin.place()).into()
}
