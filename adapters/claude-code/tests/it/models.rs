//! Models and quota, asked of a real process that answers as the CLI does.

use od_adapter_claude_code::ClaudeCode;
use od_protocol::{Effort, ModelsSource};
use od_sdk::Adapter;
use od_sdk::testing::TestHome;

/// A machine whose `claude` is this script.
fn home(script: &str) -> TestHome {
    TestHome::with_cli("claude", script)
}

/// Answers the first line on stdin with this, under the same id.
fn answering(reply: &str) -> String {
    format!(
        r#"read -r line
id=$(printf %s "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '%s\n' '{{"type":"system","subtype":"noise"}}'
printf '{{"type":"control_response","response":{{"subtype":"success","request_id":"%s","response":%s}}}}\n' "$id" '{reply}'"#
    )
}

#[test]
fn the_models_are_the_clis_own() {
    let reply = r#"{"models":[{"value":"default","resolvedModel":"big[1m]","displayName":"Default","supportedEffortLevels":["low","xhigh","max"]},{"value":"small","resolvedModel":"small-1"},{"value":"small"}]}"#;
    let home = home(&answering(reply));
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
fn a_cli_that_does_not_answer_leaves_a_static_list() {
    for script in ["exit 1", "echo nonsense", "echo '{\"type\":\"control_response\"}'"] {
        let home = home(script);
        let list = ClaudeCode.models(home.machine()).expect("a list");
        assert_eq!(list.source, ModelsSource::Static, "{script}");
        assert!(list.models.iter().any(|model| model.default));
    }
}

#[test]
fn the_quota_of_a_subscription() {
    let reply = r#"{"rate_limits":{"five_hour":{"utilization":12.5,"resets_at":"2030-01-01T00:00:00Z"},"seven_day":{"utilization":100,"resets_at":"2030-01-02T00:00:00Z"},"seven_day_opus":null,"limits":[]}}"#;
    let home = home(&answering(reply));
    let quota = ClaudeCode.quota(home.machine()).expect("an answer").expect("a subscription");
    assert_eq!(quota.windows.len(), 2);
    assert_eq!(quota.windows[0].used_percent, Some(12.5));
    assert!(quota.rate_limited);
    assert_eq!(quota.earliest_reset_at, Some(1_893_542_400_000));
}

#[test]
fn without_a_subscription_there_is_no_quota() {
    let home = home(&answering(r#"{"rate_limits":null}"#));
    assert_eq!(ClaudeCode.quota(home.machine()).expect("an answer"), None);
}
