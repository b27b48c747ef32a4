//! Requests that are answered immediately: handshake, login, sessions, modes.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::fault::AgentFault;
use super::output::Outcome;
use super::serve::Reference;

pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
const NOT_FOUND: i64 = -32002;
const INTERNAL_ERROR: i64 = -32603;

const MODES: [&str; 2] = ["default", "plan"];

/// Answers a request that needs no turn.
pub(super) fn answer(reference: &'static Reference, method: &str, params: &Value) -> Outcome {
    match method {
        "initialize" => initialize(reference, params),
        "authenticate" => authenticate(reference, params),
        "session/new" => new_session(reference, params),
        "session/load" => load_session(reference, params),
        "session/set_mode" => set_mode(reference, params),
        "session/close" => close_session(reference, params),
        _ if reference.behaviour.has(AgentFault::UnknownIsInternal) => {
            Err((INTERNAL_ERROR, format!("unknown method {method}")))
        }
        _ => Err((METHOD_NOT_FOUND, format!("unknown method {method}"))),
    }
}

fn initialize(reference: &Reference, params: &Value) -> Outcome {
    let behaviour = reference.behaviour;
    if behaviour.has(AgentFault::StrictInitialize) && params.get("somethingNew").is_some() {
        return Err((INVALID_PARAMS, "unknown member somethingNew".to_owned()));
    }
    reference.set_capabilities(params["clientCapabilities"].clone());
    let asked = params["protocolVersion"].as_u64().unwrap_or(1);
    let version = match asked {
        _ if behaviour.has(AgentFault::TextVersion) => json!("1"),
        asked if behaviour.has(AgentFault::EchoesVersion) => json!(asked),
        _ => json!(1),
    };
    let loads = match behaviour.has(AgentFault::TextCapability) {
        true => json!("yes"),
        false => json!(true),
    };
    let mut result = json!({
        "protocolVersion": version,
        "agentCapabilities": {
            "loadSession": loads,
            "promptCapabilities": {"image": false, "audio": false, "embeddedContext": false},
            "sessionCapabilities": {"close": {}},
        },
        "authMethods": [{"id": "none", "name": "No login needed"}],
    });
    if !behaviour.has(AgentFault::Anonymous) {
        result["agentInfo"] =
            json!({"name": "acp-reference-agent", "version": env!("CARGO_PKG_VERSION")});
    }
    Ok(result)
}

fn authenticate(reference: &Reference, params: &Value) -> Outcome {
    if params["methodId"] == "none" || reference.behaviour.has(AgentFault::AnyLogin) {
        return Ok(json!({}));
    }
    Err((INVALID_PARAMS, "unknown authentication method".to_owned()))
}

fn new_session(reference: &'static Reference, params: &Value) -> Outcome {
    let behaviour = reference.behaviour;
    if behaviour.has(AgentFault::StrictMembers) && params.get("somethingNew").is_some() {
        return Err((INVALID_PARAMS, "unknown member somethingNew".to_owned()));
    }
    let cwd = cwd(reference, params)?;
    let session = reference.new_session(cwd);
    let modes: Vec<Value> = MODES.iter().map(|id| json!({"id": id, "name": id})).collect();
    let modes = json!({"currentModeId": MODES[0], "availableModes": modes});
    Ok(json!({"sessionId": session.id, "modes": modes}))
}

fn cwd(reference: &Reference, params: &Value) -> Result<PathBuf, (i64, String)> {
    let found = params["cwd"].as_str().map(PathBuf::from).filter(|cwd| cwd.is_absolute());
    let untyped = reference.behaviour.has(AgentFault::UntypedParams);
    match found {
        Some(cwd) => Ok(cwd),
        None if reference.behaviour.has(AgentFault::GuessesCwd) => Ok(PathBuf::from("/")),
        None => {
            let code = if untyped { INTERNAL_ERROR } else { INVALID_PARAMS };
            Err((code, "cwd must be an absolute path".to_owned()))
        }
    }
}

fn load_session(reference: &'static Reference, params: &Value) -> Outcome {
    let id = params["sessionId"].as_str().unwrap_or_default();
    let cwd = cwd(reference, params)?;
    let Some(session) = reference.load_session(id, cwd) else {
        return Err((NOT_FOUND, format!("unknown session {id}")));
    };
    let mut updates = session.updates();
    if reference.behaviour.has(AgentFault::ReplaysLastTurn) {
        let is_prompt = |update: &Value| update["sessionUpdate"] == "user_message_chunk";
        updates.drain(..updates.iter().rposition(is_prompt).unwrap_or(0));
    }
    if reference.behaviour.has(AgentFault::LoadForgets) {
        session.forget_messages();
    }
    if reference.behaviour.has(AgentFault::LateReplay) {
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            updates.iter().for_each(|update| reference.output.update(&session.id, update));
        });
    } else if !reference.behaviour.has(AgentFault::SilentLoad) {
        updates.iter().for_each(|update| reference.output.update(&session.id, update));
    }
    Ok(json!({}))
}

fn set_mode(reference: &Reference, params: &Value) -> Outcome {
    let session = reference.session(params)?;
    let mode = params["modeId"].as_str().unwrap_or_default();
    let is_refused = mode == MODES[1] && reference.behaviour.has(AgentFault::RefusesAMode);
    if !MODES.contains(&mode) || is_refused {
        return Err((INVALID_PARAMS, format!("unknown mode {mode}")));
    }
    let update = json!({"sessionUpdate": "current_mode_update", "currentModeId": mode});
    reference.output.update(&session.id, &update);
    Ok(json!({}))
}

fn close_session(reference: &Reference, params: &Value) -> Outcome {
    let session = reference.session(params)?;
    if !reference.behaviour.has(AgentFault::CloseLeavesTurn) {
        session.stop.cancel(reference.behaviour, &reference.output);
    }
    Ok(json!({}))
}
