//! Translates permission modes and the run's policy into OpenCode's rules. The last matching rule
//! wins. The translation of a policy is never more permissive than the policy.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ApprovalCategory, JsonObject, NetworkMode, Policy};
use serde::Serialize;
use serde_json::Value;

/// The modes, strictest first: read only; ask before every change, command and access outside the
/// folder; the user's own rules; allow everything that those rules do not forbid.
pub(super) const PERMISSION_MODES: &[&str] = &["plan", "ask", "build", "auto"];

/// Permissions that may change something or reach outside the folder.
const RISKY: &[&str] = &["edit", "bash", "webfetch", "websearch", "external_directory", "task"];
/// Permissions for tools that access the network.
const NETWORK: &[&str] = &["webfetch", "websearch", "codesearch"];

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// `edit`, `bash`, `webfetch`, …, or `*`.
    pub permission: String,
    /// Files or commands; `*` matches anything.
    pub pattern: String,
    /// `allow`, `ask` or `deny`.
    pub action: &'static str,
}

/// OpenCode's built-in agent for a permission mode, if it has one.
pub fn mode_agent(permission_mode: Option<&str>) -> Option<&'static str> {
    (permission_mode == Some("plan")).then_some("plan")
}

/// The rules of a run; later rules override earlier ones.
pub fn rules(start_run_params: &StartRunParams) -> Vec<Rule> {
    let mut rules = match start_run_params.permission_mode.as_deref() {
        Some("ask") => RISKY.iter().map(|permission| rule(permission, "*", "ask")).collect(),
        Some("auto") => vec![rule("*", "*", "allow")],
        _ => Vec::new(),
    };
    if let Some(policy) = &start_run_params.policy {
        add_policy(&mut rules, policy);
    }
    rules
}

/// The same rules as one JSON object, by permission and pattern. Patterns are sorted, so `*` comes
/// first and has the lowest precedence. A permission whose only pattern is `*` gets the bare action:
/// some permissions accept nothing else, and OpenCode ignores *all* settings if one is malformed.
pub fn rules_object(rules: &[Rule]) -> JsonObject {
    let mut object = JsonObject::new();
    for Rule { permission, pattern, action } in rules {
        let patterns = object.entry(permission.clone()).or_insert_with(|| JsonObject::new().into());
        if let Value::Object(patterns) = patterns {
            patterns.insert(pattern.clone(), (*action).into());
        }
    }
    for patterns in object.values_mut() {
        let is_alone = patterns.as_object().is_some_and(|patterns| patterns.len() == 1);
        if let Some(action) = patterns.get_mut("*").filter(|_| is_alone).map(Value::take) {
            *patterns = action;
        }
    }
    object
}

fn add_policy(rules: &mut Vec<Rule>, policy: &Policy) {
    let no_network = policy.network == Some(NetworkMode::None);
    let every_command_asks = no_network || policy.ask.contains(&ApprovalCategory::Execute);
    if !every_command_asks {
        let denied = |prefix: &str| policy.shell_deny.iter().any(|deny| prefix.starts_with(deny));
        let allowed = policy.shell_allow.iter().filter(|prefix| !denied(prefix));
        rules.extend(allowed.map(|prefix| rule("bash", &format!("{prefix}*"), "allow")));
    }
    for category in &policy.ask {
        rules.extend(permissions_of(*category).iter().map(|name| rule(name, "*", "ask")));
    }
    if no_network {
        // A command may access the network too, and OpenCode cannot detect that.
        rules.push(rule("bash", "*", "ask"));
        rules.extend(NETWORK.iter().map(|permission| rule(permission, "*", "deny")));
    }
    rules
        .extend(policy.shell_deny.iter().map(|prefix| rule("bash", &format!("{prefix}*"), "deny")));
}

fn permissions_of(category: ApprovalCategory) -> &'static [&'static str] {
    match category {
        ApprovalCategory::Execute => &["bash"],
        ApprovalCategory::Edit => &["edit"],
        ApprovalCategory::Read => &["read", "glob", "grep", "list", "external_directory"],
        ApprovalCategory::Network => NETWORK,
        // Each tool of an MCP server has a permission with its own name.
        ApprovalCategory::Mcp => &["*"],
        _ => &[],
    }
}

fn rule(permission: &str, pattern: &str, action: &'static str) -> Rule {
    Rule { permission: permission.to_owned(), pattern: pattern.to_owned(), action }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mode: &str, policy: Option<Policy>) -> String {
        let start_run_params = StartRunParams {
            permission_mode: Some(mode.to_owned()),
            policy,
            ..StartRunParams::default()
        };
        Value::Object(rules_object(&rules(&start_run_params))).to_string()
    }

    #[test]
    fn each_mode_has_its_rules() {
        assert_eq!(of("build", None), "{}");
        assert_eq!(of("auto", None), r#"{"*":"allow"}"#);
        assert!(of("ask", None).contains(r#""edit":"ask""#));
        assert_eq!(mode_agent(Some("plan")), Some("plan"));
        assert_eq!(mode_agent(Some("ask")), None);
    }

    #[test]
    fn denied_command_stays_denied() {
        let policy = Policy {
            shell_allow: vec!["git ".to_owned(), "rm -i".to_owned()],
            shell_deny: vec!["rm ".to_owned()],
            ..Policy::default()
        };
        assert_eq!(of("build", Some(policy)), r#"{"bash":{"git *":"allow","rm *":"deny"}}"#);
    }

    #[test]
    fn without_network_every_command_asks() {
        let policy = Policy {
            shell_allow: vec!["curl".to_owned()],
            network: Some(NetworkMode::None),
            ..Policy::default()
        };
        let rules = of("build", Some(policy));
        assert!(rules.contains(r#""bash":"ask""#), "{rules}");
        assert!(rules.contains(r#""webfetch":"deny""#), "{rules}");
    }
}
