//! Models and quota, requested from a fake CLI.

use od_adapter_codex::Codex;
use od_protocol::{Effort, ModelsSource};
use od_sdk::Adapter;
use od_sdk::testing::TestHome;

/// A script that answers `initialize` and the request after it, then waits for the end of stdin.
fn answering(reply: &str) -> String {
    format!(
        r#"read -r initialize; echo '{{"id":1,"result":{{}}}}'
read -r initialized; echo '{{"method":"configWarning","params":{{}}}}'
read -r request; echo '{reply}'
cat > /dev/null"#
    )
}

#[test]
fn models_come_from_cli() {
    let reply = r#"{"id":2,"result":{"data":[{"model":"big","displayName":"Big","isDefault":true,"supportedReasoningEfforts":[{"reasoningEffort":"low"},{"reasoningEffort":"max"},{"reasoningEffort":"ultra"}]},{"model":"small","supportedReasoningEfforts":[{"reasoningEffort":"high"},{"reasoningEffort":"xhigh"}]},{"model":"secret","hidden":true},{"model":"small"}]}}"#;
    let home = TestHome::with_cli("codex", &answering(reply));
    let list = Codex.models(home.machine()).expect("a list");
    assert_eq!(list.source, ModelsSource::Live);
    assert_eq!(list.current.as_deref(), Some("big"));
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["big", "small"]);
    assert!(list.models[0].default);
    assert_eq!(list.models[0].efforts, Some(vec![Effort::Low, Effort::Max]));
    // `xhigh` is its highest level.
    assert_eq!(list.models[1].efforts, Some(vec![Effort::High, Effort::Max]));
}

#[test]
fn cli_without_answer_returns_static_list() {
    let refusal = answering(r#"{"id":2,"error":{"code":-32600,"message":"Invalid request"}}"#);
    for script in ["exit 1", "echo nonsense", &refusal] {
        let home = TestHome::with_cli("codex", script);
        let list = Codex.models(home.machine()).expect("a list");
        assert_eq!(list.source, ModelsSource::Static, "{script}");
        assert!(list.models.iter().any(|model| model.default));
    }
}

#[test]
fn subscription_has_quota_windows() {
    let reply = r#"{"id":2,"result":{"rateLimits":{"primary":{"usedPercent":12.5,"windowDurationMins":300,"resetsAt":1893456000},"secondary":{"usedPercent":100,"windowDurationMins":10080,"resetsAt":1893542400}}}}"#;
    let home = TestHome::with_cli("codex", &answering(reply));
    let quota = Codex.quota(home.machine()).expect("an answer").expect("a subscription");
    let kinds: Vec<&str> = quota.windows.iter().map(|window| window.kind.as_str()).collect();
    assert_eq!(kinds, ["five_hour", "seven_day"]);
    assert_eq!(quota.windows[0].used_percent, Some(12.5));
    assert!(quota.rate_limited);
    assert_eq!(quota.earliest_reset_at, Some(1_893_542_400_000));
}

#[test]
fn no_subscription_has_no_quota() {
    let refusal = r#"{"id":2,"error":{"code":-32600,"message":"codex account authentication required to read rate limits"}}"#;
    let home = TestHome::with_cli("codex", &answering(refusal));
    assert_eq!(Codex.quota(home.machine()).expect("an answer"), None);
}
