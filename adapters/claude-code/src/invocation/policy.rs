//! Tools, modes and the run's policy, in the CLI's own rules. A rule of the policy is only ever
//! translated into something stricter.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ApprovalCategory, ErrorKind, ErrorObject, NetworkMode, Policy};
use od_sdk::Invocation;
use serde_json::json;

/// Tools that reach the network by themselves.
const NETWORK_TOOLS: &[&str] = &["WebFetch", "WebSearch"];

/// Adds the mode and the lists of tools.
///
/// # Errors
/// A name that the CLI would take for a flag.
pub(super) fn add(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    if let Some(mode) = &start_run_params.permission_mode {
        invocation.flag("--permission-mode", mode);
    }
    let none = Policy::default();
    let policy = start_run_params.policy.as_ref().unwrap_or(&none);
    let mut allowed = start_run_params.allowed_tools.clone().unwrap_or_default();
    // The CLI denies what both lists name; it is not told so in the first place.
    let shell_allow =
        policy.shell_allow.iter().filter(|prefix| !policy.shell_deny.contains(prefix));
    allowed.extend(shell_allow.map(|prefix| shell_rule(prefix)));
    let mut denied = start_run_params.denied_tools.clone().unwrap_or_default();
    denied.extend(policy.shell_deny.iter().map(|prefix| shell_rule(prefix)));
    let mut ask: Vec<String> = policy.ask.iter().flat_map(|kind| tools_of(*kind)).collect();
    if policy.network == Some(NetworkMode::None) {
        denied.extend(NETWORK_TOOLS.iter().map(|tool| (*tool).to_owned()));
        // A command may reach the network too, and the CLI cannot tell.
        ask.push("Bash".to_owned());
    }
    if let Some(tool) = allowed.iter().chain(&denied).find(|tool| tool.starts_with('-')) {
        return Err(ErrorObject::new(ErrorKind::ConfigInvalid, format!("{tool:?} is no tool"))
            .with_hint("a tool is named like Bash, Bash(git status:*) or mcp__server__tool"));
    }
    // The lists take as many values as follow, so each value gets its own flag.
    for tool in allowed {
        invocation.flag("--allowedTools", tool);
    }
    for tool in denied {
        invocation.flag("--disallowedTools", tool);
    }
    if !ask.is_empty() {
        let settings = json!({"permissions": {"ask": ask}});
        invocation.flag("--settings", settings.to_string());
    }
    Ok(())
}

/// Commands that begin so.
fn shell_rule(prefix: &str) -> String {
    format!("Bash({prefix}:*)")
}

fn tools_of(category: ApprovalCategory) -> Vec<String> {
    let tools: &[&str] = match category {
        ApprovalCategory::Execute => &["Bash"],
        ApprovalCategory::Edit => &["Edit", "Write", "NotebookEdit"],
        ApprovalCategory::Read => &["Read", "Glob", "Grep"],
        ApprovalCategory::Network => NETWORK_TOOLS,
        ApprovalCategory::Mcp => &["mcp__*"],
        _ => &[],
    };
    tools.iter().map(|tool| (*tool).to_owned()).collect()
}
