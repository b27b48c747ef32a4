//! Finding the agent CLI without starting a process.

use std::path::PathBuf;

use od_protocol::{ErrorKind, ErrorObject, Evidence};
use od_sdk::probe::{locate, locate_in};

use super::scratch::{CLI, PlainAdapter, Scratch, about};

fn evidence_of(error: &ErrorObject) -> Vec<Evidence> {
    let details = error.data.as_ref().and_then(|data| data.details.clone()).expect("details");
    serde_json::from_value(details["evidence"].clone()).expect("a list of evidence")
}

#[test]
fn cli_path_has_no_fallback() {
    let scratch = Scratch::new();
    let manifest = PlainAdapter::new().manifest;
    scratch.program(&format!("path/{CLI}"), "");
    let failure = |path: PathBuf| {
        let machine = od_sdk::Machine { cli_path: Some(path), ..scratch.machine() };
        let error = locate(&manifest, &machine).expect_err("no agent CLI there");
        assert!(error.hint().is_some(), "{error:?}");
        assert!(!format!("{error:?}").contains("/path/"), "the program on PATH is not mentioned");
        error
    };
    assert_eq!(failure(scratch.at("nowhere")).kind(), ErrorKind::CliNotFound);
    assert_eq!(failure(scratch.at("home")).kind(), ErrorKind::CliSpawnFailed);
    assert_eq!(failure(scratch.link("broken", "gone")).kind(), ErrorKind::CliNotFound);
    assert_eq!(failure("relative/cli".into()).kind(), ErrorKind::ConfigInvalid);
    let plain = scratch.file("plain", "text");
    let error = failure(plain.clone());
    assert_eq!(error.kind(), ErrorKind::CliSpawnFailed);
    assert_eq!(error.hint(), Some(format!("chmod +x '{}'", plain.display()).as_str()));

    let other = scratch.program("elsewhere/other-name", "");
    let machine = od_sdk::Machine { cli_path: Some(other.clone()), ..scratch.machine() };
    assert_eq!(locate(&manifest, &machine).expect("found").path, other);
}

#[test]
fn path_is_first_and_copies_are_evidence() {
    let scratch = Scratch::new();
    let on_path = scratch.program(&format!("path/{CLI}"), "");
    let copy = scratch.program(&format!("home/.local/bin/{CLI}"), "");
    scratch.link(&format!("home/bin/{CLI}"), &on_path);
    let install = locate(&PlainAdapter::new().manifest, &scratch.machine()).expect("found");
    assert_eq!(install.path, on_path);
    assert_eq!(install.extra_path, [] as [PathBuf; 0]);
    let noted = about(&install.evidence, &copy).expect("the copy is evidence");
    assert_eq!(noted.detail.as_deref(), Some("another copy, not used"));
    assert_eq!(install.evidence.len(), 2, "{:?}", install.evidence);
}

#[test]
fn unusable_candidates_are_skipped_with_evidence() {
    let scratch = Scratch::new();
    let plain = scratch.file(&format!("path/{CLI}"), "text");
    let broken = scratch.link(&format!("home/.local/bin/{CLI}"), "gone");
    let usable = scratch.program(&format!("home/bin/{CLI}"), "");
    let install = locate(&PlainAdapter::new().manifest, &scratch.machine()).expect("found");
    assert_eq!(install.path, usable);
    let detail = |path| about(&install.evidence, path).and_then(|noted| noted.detail.as_deref());
    assert_eq!(detail(&plain), Some("is not executable"));
    assert_eq!(detail(&broken), Some("is a link to a file that does not exist"));
}

#[test]
fn relative_folders_of_path_are_skipped() {
    let scratch = Scratch::new();
    scratch.program(&format!("path/{CLI}"), "");
    let mut machine = scratch.machine();
    let here = std::env::current_dir().expect("a working directory");
    let up = here.components().skip(1).map(|_| "..").collect::<Vec<_>>().join("/");
    let relative = format!("{up}{}", scratch.at("path").display());
    assert!(PathBuf::from(&relative).join(CLI).exists(), "the test reaches it");
    machine.env.insert("PATH".to_owned(), format!("{relative}::."));
    let error = locate(&PlainAdapter::new().manifest, &machine).expect_err("not found");
    assert_eq!(error.kind(), ErrorKind::CliNotFound);
}

#[test]
fn newest_node_with_cli_is_used() {
    let scratch = Scratch::new();
    for version in ["v9.11.2", "v10.2.0"] {
        scratch.program(&format!("home/.nvm/versions/node/{version}/bin/{CLI}"), "");
    }
    scratch.program("home/.nvm/versions/node/v22.0.0/bin/node", "");
    let install = locate(&PlainAdapter::new().manifest, &scratch.machine()).expect("found");
    assert_eq!(install.path, scratch.at(&format!("home/.nvm/versions/node/v10.2.0/bin/{CLI}")));
}

#[test]
fn first_name_anywhere_precedes_later_on_path() {
    let scratch = Scratch::new();
    let mut manifest = PlainAdapter::new().manifest;
    manifest.cli.names.push("agent".to_owned());
    scratch.program("path/agent", "");
    let worse = locate(&manifest, &scratch.machine()).expect("found");
    assert_eq!(worse.path, scratch.at("path/agent"));
    let better = scratch.program(&format!("home/.bun/bin/{CLI}"), "");
    assert_eq!(locate(&manifest, &scratch.machine()).expect("found").path, better);
}

#[test]
fn own_folders_are_searched_but_not_paths() {
    let scratch = Scratch::new();
    let mut manifest = PlainAdapter::new().manifest;
    let own = scratch.program(&format!("home/.made-up/bin/{CLI}"), "");
    assert!(locate(&manifest, &scratch.machine()).is_err());
    let folder = scratch.at("home/.made-up/bin");
    let install = locate_in(&manifest, &scratch.machine(), &[folder]).expect("found");
    assert_eq!(install.path, own);
    manifest.cli.names = vec![format!("../home/.made-up/bin/{CLI}"), own.display().to_string()];
    assert!(locate(&manifest, &scratch.machine()).is_err());
}

#[test]
fn not_found_has_install_command_and_places() {
    let scratch = Scratch::new();
    scratch.program("home/.local/bin/something-else", "");
    let manifest = PlainAdapter::new().manifest;
    let error = locate(&manifest, &scratch.machine()).expect_err("not found");
    assert_eq!(error.kind(), ErrorKind::CliNotFound);
    assert_eq!(error.hint(), Some(manifest.cli.install[0].command.as_str()));
    let evidence = evidence_of(&error);
    for (signal, folder) in [("path", "path"), ("well_known_dir", "home/.local/bin")] {
        let folder = scratch.at(folder).display().to_string();
        let detail = evidence
            .iter()
            .find(|evidence| evidence.signal == signal && !evidence.found)
            .and_then(|evidence| evidence.detail.clone())
            .expect("this place was searched");
        assert!(detail.contains(&folder) && !detail.contains(".bun"), "{detail}");
    }
    scratch.file(&format!("path/{CLI}"), "text");
    let error = locate(&manifest, &scratch.machine()).expect_err("not executable");
    assert!(error.message.contains("is not executable"), "{}", error.message);
    assert!(error.hint().is_some_and(|hint| hint.starts_with("chmod +x")));
}

#[test]
fn folder_of_interpreter_is_added() {
    let scratch = Scratch::new();
    let script = scratch.file(&format!("home/.npm-global/bin/{CLI}"), "#!/usr/bin/env od-node\n");
    scratch.set_mode(&format!("home/.npm-global/bin/{CLI}"), 0o755);
    let manifest = PlainAdapter::new().manifest;
    let install = locate(&manifest, &scratch.machine()).expect("found");
    let missing = about(&install.evidence, "od-node").expect("the missing interpreter is evidence");
    assert!(!missing.found && install.extra_path.is_empty());

    scratch.program("home/.volta/bin/od-node", "");
    let install = locate(&manifest, &scratch.machine()).expect("found");
    assert_eq!(install.path, script);
    assert_eq!(install.extra_path, [scratch.at("home/.volta/bin")]);

    scratch.program("path/od-node", "");
    let install = locate(&manifest, &scratch.machine()).expect("found");
    assert_eq!(install.extra_path, [] as [PathBuf; 0]);
}

#[test]
fn locate_starts_and_writes_nothing() {
    let scratch = Scratch::new();
    scratch.counting_program(&format!("path/{CLI}"), "echo 2.1.0");
    let mut machine = scratch.machine();
    let shell = scratch.counting_program("shell/bash", "");
    machine.env.insert("SHELL".to_owned(), shell.display().to_string());
    let manifest = PlainAdapter::new().manifest;
    let install = locate(&manifest, &machine).expect("found");
    assert_eq!(install.version, None);
    machine.env.remove("PATH");
    assert!(locate(&manifest, &machine).is_err());
    assert_eq!(scratch.count(), 0);
    assert!(!scratch.at("state").exists());
}
