//! Maps tool lists, permission mode and the run's policy to the CLI's own rules. The result is never
//! less strict than the policy.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ApprovalCategory, ErrorObject, NetworkMode, Policy};
use od_sdk::Invocation;
use od_sdk::start_run::invalid;
use serde_json::json;

/// Tools that access the network.
const NETWORK_TOOLS: &[&str] = &["WebFetch", "WebSearch"];

/// Adds the permission mode and the tool lists.
///
/// # Errors
/// When the CLI would parse a name as a flag.
pub(super) fn add(
    invocation: &mut Invocation,
    start_run_params: &StartRunParams,
) -> Result<(), ErrorObject> {
    if let Some(mode) = &start_run_params.permission_mode {
        invocation.flag("--permission-mode", mode);
    }
    let no_policy = Policy::default();
    let policy = start_run_params.policy.as_ref().unwrap_or(&no_policy);
    let mut allowed = start_run_params.allowed_tools.clone().unwrap_or_default();
    // A denied prefix takes precedence, so it is not passed as allowed.
    let shell_allow =
        policy.shell_allow.iter().filter(|prefix| !policy.shell_deny.contains(prefix));
    allowed.extend(shell_allow.map(|prefix| shell_rule(prefix)));
    let mut denied = start_run_params.denied_tools.clone().unwrap_or_default();
    denied.extend(policy.shell_deny.iter().map(|prefix| shell_rule(prefix)));
    let mut ask: Vec<String> = policy.ask.iter().flat_map(|kind| tools_of(*kind)).collect();
    if policy.network == Some(NetworkMode::None) {
        denied.extend(NETWORK_TOOLS.iter().map(|tool| (*tool).to_owned()));
        // A shell command may access the network too, and the CLI cannot detect it.
        ask.push("Bash".to_owned());
    }
    if let Some(tool) = allowed.iter().chain(&denied).find(|tool| tool.starts_with('-')) {
        let hint = "use a name like Bash, Bash(git status:*) or mcp__server__tool";
        return Err(invalid(format!("{tool:?} is not a tool name"), hint));
    }
    // The list flags consume all following values, so each value gets its own flag.
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

/// The rule for all commands with this prefix.
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
