//! Models, requested from a process that answers like the CLI.

use od_adapter_gemini_cli::GeminiCli;
use od_protocol::ModelsSource;
use od_sdk::Adapter;
use od_sdk::testing::TestHome;

#[test]
fn models_come_from_the_cli() {
    let script = r#"read -r greeting
echo noise
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read -r session
case "$session" in *session/new*) ;; *) exit 1 ;; esac
echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","models":{"currentModelId":"auto","availableModels":[{"modelId":"auto","name":"Auto"},{"modelId":"gemini-2.5-pro"}]}}}'
read -r more"#;
    let home = TestHome::with_cli("gemini", script);
    let list = GeminiCli.models(home.machine()).expect("a list");
    assert_eq!(list.source, ModelsSource::Live);
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["auto", "gemini-2.5-pro"]);
    assert!(list.models[0].default);
}

#[test]
fn silent_cli_returns_static_list() {
    let refused = r#"echo '{"id":1,"result":{}}'
echo '{"id":2,"error":{"code":-32000,"message":"no key"}}'
read -r rest"#;
    for script in ["exit 1", "echo nonsense", refused] {
        let home = TestHome::with_cli("gemini", script);
        let list = GeminiCli.models(home.machine()).expect("a list");
        assert_eq!(list.source, ModelsSource::Static, "{script}");
        assert!(list.models.iter().any(|model| model.default));
    }
}
