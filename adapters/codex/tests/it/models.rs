//! Models and quota, asked of a real process that answers as the CLI does.

use od_adapter_codex::Codex;
use od_protocol::{Effort, ModelsSource};
use od_sdk::Adapter;
use od_sdk::testing::TestHome;

/// Greets, and answers the third line as long as stdin is open; then it waits for its end.
fn answering(reply: &str) -> String {
    format!(
        r#"read -r initialize; echo '{{"id":1,"result":{{}}}}'
read -r initialized; echo '{{"method":"configWarning","params":{{}}}}'
read -r question; echo '{reply}'
cat > /dev/null"#
    )
}

#[test]
fn the_models_are_the_clis_own() {
    let reply = r#"{"id":2,"result":{"data":[{"model":"big","displayName":"Big","isDefault":true,"supportedReasoningEfforts":[{"reasoningEffort":"low"},{"reasoningEffort":"max"},{"reasoningEffort":"ultra"}]},{"model":"small","supportedReasoningEfforts":[{"reasoningEffort":"high"},{"reasoningEffort":"xhigh"}]},{"model":"secret","hidden":true},{"model":"small"}]}}"#;
    let home = TestHome::with_cli("codex", &answering(reply));
    let list = Codex.models(home.machine()).expect("a list");
    assert_eq!(list.source, ModelsSource::Live);
    assert_eq!(list.current.as_deref(), Some("big"));
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["big", "small"]);
    assert!(list.models[0].default);
    assert_eq!(list.models[0].efforts, Some(vec![Effort::Low, Effort::Max]));
    // Its most is called otherwise.
    assert_eq!(list.models[1].efforts, Some(vec![Effort::High, Effort::Max]));
}

#[test]
fn a_cli_that_does_not_answer_leaves_a_static_list() {
    let refusal = answering(r#"{"id":2,"error":{"code":-32600,"message":"Invalid request"}}"#);
    for script in ["exit 1", "echo nonsense", &refusal] {
        let home = TestHome::with_cli("codex", script);
        let list = Codex.models(home.machine()).expect("a list");
        assert_eq!(list.source, ModelsSource::Static, "{script}");
        assert!(list.models.iter().any(|model| model.default));
    }
}

#[test]
fn the_quota_of_a_subscription() {
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
fn without_a_subscription_there_is_no_quota() {
    let refusal = r#"{"id":2,"error":{"code":-32600,"message":"codex account authentication required to read rate limits"}}"#;
    let home = TestHome::with_cli("codex", &answering(refusal));
    assert_eq!(Codex.quota(home.machine()).expect("an answer"), None);
}
