//! The options of a run: those in the first line for `parrot`, and those that are refused.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject};
use serde_json::{Map, Value, json};

use super::fault::{Behaviour, Fault};

/// The modes of `parrot`, the strictest first.
pub(super) const MODES: &[&str] = &["watch", "ask", "trust"];

/// The requested options in the first line.
pub(super) fn requested_options(
    behaviour: Behaviour,
    params: &StartRunParams,
) -> Map<String, Value> {
    let images = (!behaviour.has(Fault::DropsImages)).then_some(&params.prompt.images);
    let servers = (!behaviour.has(Fault::DropsMcpServers)).then_some(&params.mcp_servers);
    let mode = params.permission_mode.as_ref().filter(|_| !behaviour.has(Fault::OneMode));
    let effort = params.effort.filter(|_| !behaviour.has(Fault::OneEffort));
    let system = system_prompt(behaviour, params);
    let mut servers = json!(servers);
    for server in servers.as_array_mut().into_iter().flatten() {
        if behaviour.has(Fault::DropsServerEnv) {
            server["env"] = json!({});
        }
    }
    let (mut allowed, mut denied) = (&params.allowed_tools, &params.denied_tools);
    if behaviour.has(Fault::SwapsToolLists) {
        std::mem::swap(&mut allowed, &mut denied);
    }
    let mut dirs = params.add_dirs.clone();
    if behaviour.has(Fault::DirsTwice) {
        dirs.extend(params.add_dirs.clone());
    }
    let schema = params.output_schema.clone().map(|mut schema| {
        if behaviour.has(Fault::CutsSchema) {
            schema.remove("required");
        }
        schema
    });
    let options = [
        ("system", json!(system)),
        ("files", json!(params.prompt.attachments)),
        ("images", json!(images)),
        ("dirs", json!(dirs)),
        ("tools", json!(allowed)),
        ("no_tools", json!(denied)),
        ("servers", servers),
        ("schema", json!(schema)),
        ("max_turns", json!(params.max_turns)),
        ("mode", json!(mode)),
        ("effort", json!(effort)),
    ];
    let is_asked =
        |value: &Value| !value.is_null() && value.as_array().is_none_or(|l| !l.is_empty());
    let pending_approvals = options.into_iter().filter(|(_, value)| is_asked(value));
    pending_approvals.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn system_prompt(behaviour: Behaviour, params: &StartRunParams) -> Option<String> {
    let text = params.prompt.system.clone()?;
    Some(match behaviour {
        behaviour if behaviour.has(Fault::TrimsSystemPrompt) => text.trim().to_owned(),
        behaviour if behaviour.has(Fault::SystemPromptTwice) => format!("{text}\n{text}"),
        _ => text,
    })
}

/// Refuses undeclared options, instead of dropping them.
pub(super) fn refuse_undeclared(
    behaviour: Behaviour,
    params: &StartRunParams,
) -> Result<(), ErrorObject> {
    let pending_approvals = [
        ("thinkingBudget", params.thinking_budget_tokens.is_some()),
        ("skills", !params.skills.is_empty()),
    ];
    match pending_approvals.iter().find(|(_, pending_approvals)| *pending_approvals) {
        Some((capability, _)) => Err(unsupported(behaviour, capability, capability)),
        None => Ok(()),
    }
}

/// The error of an undeclared capability.
pub(super) fn unsupported(behaviour: Behaviour, capability: &str, what: &str) -> ErrorObject {
    let text = format!("this adapter does not support {what}");
    let error = ErrorObject::new(ErrorKind::CapabilityUnsupported, text);
    match behaviour.has(Fault::NoWhich) {
        true => error,
        false => error.with_which(capability),
    }
}

/// Refuses unknown permission modes.
pub(super) fn refuse_mode(params: &StartRunParams) -> Result<(), ErrorObject> {
    match params.permission_mode.as_deref().filter(|mode| !MODES.contains(mode)) {
        Some(mode) => {
            let text = format!("{mode:?} is not a permission mode of parrot");
            Err(ErrorObject::new(ErrorKind::ConfigInvalid, text)
                .with_hint(format!("there are: {}", MODES.join(", "))))
        }
        None => Ok(()),
    }
}

/// Refuses an empty prompt.
pub(super) fn refuse_empty_prompt(
    behaviour: Behaviour,
    params: &StartRunParams,
) -> Result<(), ErrorObject> {
    if !params.prompt.text.is_empty() || behaviour.has(Fault::AcceptsEmptyPrompt) {
        return Ok(());
    }
    Err(ErrorObject::new(ErrorKind::ConfigInvalid, "the prompt is empty"))
}
