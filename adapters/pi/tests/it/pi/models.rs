//! Models, from a script that acts as the CLI.

use od_protocol::{Effort, ErrorKind, ModelsSource};
use od_sdk::Adapter;
use od_sdk::testing::TestHome;
use pi_family::PI;

/// A machine whose `pi` is this script.
fn home(script: &str) -> TestHome {
    TestHome::with_cli("pi", script)
}

const ANSWER: &str = r#"cat >/dev/null
echo '{"id":"od-state","type":"response","command":"get_state","success":true,"data":{"model":{"id":"big","provider":"p"}}}'
echo '{"id":"od-models","type":"response","command":"get_available_models","success":true,"data":{"models":[{"id":"big","name":"Big","provider":"p","reasoning":true,"contextWindow":128000},{"id":"small","provider":"p"},{"id":"small","provider":"p"},{"id":"small","provider":"q"}]}}'"#;

#[test]
fn configured_models_are_listed() {
    let home = home(ANSWER);
    let list = PI.models(home.machine()).expect("a list");
    assert_eq!(list.source, ModelsSource::Live);
    assert_eq!(list.current.as_deref(), Some("p/big"));
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["p/big", "p/small", "q/small"]);
    assert!(list.models[0].default && !list.models[1].default);
    assert_eq!(list.models[0].context_window, Some(128_000));
    assert_eq!(list.models[0].efforts, Some(Effort::ALL.to_vec()));
    assert_eq!(list.models[1].efforts, Some(Vec::new()));
}

#[test]
fn silent_cli_is_error_with_hint() {
    for script in ["exit 1", "echo nonsense"] {
        let home = home(script);
        let error = PI.models(home.machine()).expect_err("no list");
        assert_eq!(error.kind(), ErrorKind::CliProtocol, "{script}");
        assert!(error.hint().is_some_and(|hint| hint.contains("--list-models")));
    }
}
