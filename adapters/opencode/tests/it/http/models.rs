//! Models: from the agent CLI, or from a real server on loopback.

use od_protocol::{Effort, ErrorKind, ModelsSource};
use od_sdk::Adapter;
use opencode_family::OpenCodeHttp;

use crate::http::test_server::serve;

#[test]
fn server_lists_context_windows_and_efforts() {
    const PROVIDERS: &str =
        include_str!("../../../opencode-http/recordings/1.18.33/config_providers.json");
    let machine = serve(&[
        ("/config/providers", 200, PROVIDERS),
        ("/config", 200, r#"{"model":"fake/fake-thinker"}"#),
    ]);
    let list = OpenCodeHttp.models(&machine).expect("a list");
    assert_eq!(
        (list.source, list.current.as_deref()),
        (ModelsSource::Live, Some("fake/fake-thinker"))
    );
    let model = list.models.iter().find(|model| model.id == "fake/fake-thinker").expect("a model");
    assert!(model.default);
    assert_eq!(model.context_window, Some(128_000));
    assert_eq!(model.efforts, Some(vec![Effort::High, Effort::Low, Effort::Medium]));
}

#[test]
fn web_page_is_not_a_list() {
    let error = OpenCodeHttp.models(&serve(&[])).expect_err("no list");
    assert_eq!(error.kind(), ErrorKind::NetworkUnreachable);
}
