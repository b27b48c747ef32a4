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
    let options = [
        ("system", json!(params.prompt.system)),
        ("files", json!(params.prompt.attachments)),
        ("images", json!(images)),
        ("dirs", json!(params.add_dirs)),
        ("tools", json!(params.allowed_tools)),
        ("no_tools", json!(params.denied_tools)),
        ("servers", json!(servers)),
        ("schema", json!(params.output_schema)),
        ("max_turns", json!(params.max_turns)),
        ("mode", json!(mode)),
        ("effort", json!(effort)),
    ];
    let is_asked =
        |value: &Value| !value.is_null() && value.as_array().is_none_or(|l| !l.is_empty());
    let pending_approvals = options.into_iter().filter(|(_, value)| is_asked(value));
    pending_approvals.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Refuses undeclared options, instead of dropping them.
pub(super) fn refuse_undeclared(params: &StartRunParams) -> Result<(), ErrorObject> {
    let pending_approvals = [
        ("thinkingBudget", params.thinking_budget_tokens.is_some()),
        ("skills", !params.skills.is_empty()),
    ];
    match pending_approvals.iter().find(|(_, pending_approvals)| *pending_approvals) {
        Some((capability, _)) => Err(ErrorObject::new(
            ErrorKind::CapabilityUnsupported,
            format!("this adapter does not support {capability}"),
        )
        .with_which(*capability)),
        None => Ok(()),
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
