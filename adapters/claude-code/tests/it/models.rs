//! Models and quota, requested from a script that answers like the CLI.

use od_adapter_claude_code::ClaudeCode;
use od_protocol::{Effort, ModelsSource};
use od_sdk::Adapter;
use od_sdk::testing::TestHome;

/// A home in which `claude` is this script.
fn home(script: &str) -> TestHome {
    TestHome::with_cli("claude", script)
}

/// A script that sends this reply to the first request on stdin.
fn reply_script(reply: &str) -> String {
    format!(
        r#"read -r line
id=$(printf %s "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '%s\n' '{{"type":"system","subtype":"noise"}}'
printf '{{"type":"control_response","response":{{"subtype":"success","request_id":"%s","response":%s}}}}\n' "$id" '{reply}'"#
    )
}

#[test]
fn models_come_from_cli() {
    let reply = r#"{"models":[{"value":"default","resolvedModel":"big[1m]","displayName":"Default","supportedEffortLevels":["low","xhigh","max"]},{"value":"small","resolvedModel":"small-1"},{"value":"small"}]}"#;
    let home = home(&reply_script(reply));
    let list = ClaudeCode.models(home.machine()).expect("a list");
    assert_eq!(list.source, ModelsSource::Live);
    assert_eq!(list.current.as_deref(), Some("big[1m]"));
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["default", "small"]);
    assert!(list.models[0].default);
    assert_eq!(list.models[0].context_window, Some(1_000_000));
    assert_eq!(list.models[0].efforts, Some(vec![Effort::Low, Effort::Max]));
}

#[test]
fn silent_cli_returns_static_models() {
    for script in ["exit 1", "echo nonsense", "echo '{\"type\":\"control_response\"}'"] {
        let home = home(script);
        let list = ClaudeCode.models(home.machine()).expect("a list");
        assert_eq!(list.source, ModelsSource::Static, "{script}");
        assert!(list.models.iter().any(|model| model.default));
    }
}

#[test]
fn quota_lists_subscription_windows() {
    let reply = r#"{"rate_limits":{"five_hour":{"utilization":12.5,"resets_at":"2030-01-01T00:00:00Z"},"seven_day":{"utilization":100,"resets_at":"2030-01-02T00:00:00Z"},"seven_day_opus":null,"limits":[]}}"#;
    let home = home(&reply_script(reply));
    let quota = ClaudeCode.quota(home.machine()).expect("an answer").expect("a subscription");
    assert_eq!(quota.windows.len(), 2);
    assert_eq!(quota.windows[0].used_percent, Some(12.5));
    assert!(quota.rate_limited);
    assert_eq!(quota.earliest_reset_at, Some(1_893_542_400_000));
}

#[test]
fn quota_without_subscription_is_none() {
    let home = home(&reply_script(r#"{"rate_limits":null}"#));
    assert_eq!(ClaudeCode.quota(home.machine()).expect("an answer"), None);
}
