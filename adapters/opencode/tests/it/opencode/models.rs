//! Models, from a real process in the CLI's place.

use od_protocol::{ErrorKind, ModelsSource};
use od_sdk::Adapter;
use od_sdk::testing::MadeUpHome;
use opencode_family::OpenCode;

#[test]
fn the_models_are_the_clis_own() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/opencode/recordings/1.18.33/models.txt");
    let script = format!("[ \"$1\" = models ] && cat '{recorded}'");
    let home = MadeUpHome::with_cli("opencode", &script);
    let list = OpenCode.models(home.machine()).expect("a list");
    assert_eq!(list.source, ModelsSource::Live);
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["fake/fake-model", "fake/fake-thinker"]);
}

#[test]
fn a_cli_that_names_none_is_an_error_with_a_command_to_try() {
    for script in ["exit 1", "echo 'no models here'"] {
        let home = MadeUpHome::with_cli("opencode", script);
        let error = OpenCode.models(home.machine()).expect_err("no list");
        assert_eq!(error.kind(), ErrorKind::CliCrashed, "{script}");
    }
}
