//! Models, from a real process in the CLI's place.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use od_adapter_opencode::OpenCode;
use od_protocol::{ErrorKind, ModelsSource};
use od_sdk::{Adapter, Machine};
use tempfile::TempDir;

/// A machine whose `opencode` is this script.
fn machine(script: &str) -> (TempDir, Machine) {
    let home = TempDir::new().expect("a scratch home");
    let cli_path = home.path().join("opencode");
    fs::write(&cli_path, format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(&cli_path, fs::Permissions::from_mode(0o755)).expect("executable");
    let machine = Machine {
        home: home.path().to_owned(),
        cli_path: Some(cli_path),
        env: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
        ..Machine::default()
    };
    (home, machine)
}

#[test]
fn the_models_are_the_clis_own() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/1.18.33/models.txt");
    let (_home, machine) = machine(&format!("[ \"$1\" = models ] && cat '{recorded}'"));
    let list = OpenCode.models(&machine).expect("a list");
    assert_eq!(list.source, ModelsSource::Live);
    let ids: Vec<&str> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["fake/fake-model", "fake/fake-thinker"]);
}

#[test]
fn a_cli_that_names_none_is_an_error_with_a_command_to_try() {
    for script in ["exit 1", "echo 'no models here'"] {
        let (_home, machine) = machine(script);
        let error = OpenCode.models(&machine).expect_err("no list");
        assert_eq!(error.kind(), ErrorKind::CliCrashed, "{script}");
    }
}
