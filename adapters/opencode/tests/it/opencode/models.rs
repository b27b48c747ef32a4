//! Models, from a script that acts as the CLI.

use od_protocol::{ErrorKind, ModelsSource};
use od_sdk::Adapter;
use od_sdk::testing::TestHome;
use opencode_family::OpenCode;

#[test]
fn models_are_listed_with_cli() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/opencode/recordings/1.18.33/models.txt");
    let script = format!("[ \"$1\" = models ] && cat '{recorded}'");
    let home = TestHome::with_cli("opencode", &script);
    let list = OpenCode.models(home.machine()).expect("a list");
    assert_eq!(list.source, ModelsSource::Live);
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["fake/fake-model", "fake/fake-thinker"]);
}

#[test]
fn empty_model_list_is_error_with_hint() {
    for script in ["exit 1", "echo 'no models here'"] {
        let home = TestHome::with_cli("opencode", script);
        let error = OpenCode.models(home.machine()).expect_err("no list");
        assert_eq!(error.kind(), ErrorKind::CliCrashed, "{script}");
    }
}
