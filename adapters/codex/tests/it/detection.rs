//! Detection: missing, old and several installs, and the capabilities of an old version.

use std::fs;
use std::path::Path;

use od_adapter_codex::Codex;
use od_protocol::adapter::DetectAdapterResult;
use od_protocol::{ErrorKind, TestedVersion};
use od_sdk::{Adapter, Machine};
use tempfile::TempDir;

/// Creates an npm install of a version below a folder; its `bin` folder belongs on PATH.
#[cfg(unix)]
fn install(prefix: &Path, version: &str) {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let package = prefix.join("lib/node_modules/@openai/codex");
    fs::create_dir_all(package.join("bin")).expect("folders");
    fs::create_dir_all(prefix.join("bin")).expect("a folder");
    let script = package.join("bin/codex.js");
    fs::write(&script, "#!/bin/sh\nexit 1\n").expect("a file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("executable");
    let metadata = format!(
        r#"{{"name":"@openai/codex","version":"{version}","bin":{{"codex":"bin/codex.js"}}}}"#
    );
    fs::write(package.join("package.json"), metadata).expect("a file");
    symlink(&script, prefix.join("bin/codex")).expect("a link");
}

fn machine(home: &TempDir, path: &str) -> Machine {
    Machine {
        home: home.path().to_owned(),
        env: [("PATH".to_owned(), path.to_owned())].into(),
        login_path: Some(path.to_owned()),
        ..Machine::default()
    }
}

#[cfg(unix)]
fn detect(versions: &[&str]) -> DetectAdapterResult {
    let home = TempDir::new().expect("a scratch home");
    let mut path = Vec::new();
    for version in versions {
        let prefix = home.path().join(version);
        install(&prefix, version);
        path.push(prefix.join("bin").display().to_string());
    }
    od_sdk::detect::detect(&Codex, &machine(&home, &path.join(":")), false)
}

#[test]
fn missing_cli_is_not_found() {
    let home = TempDir::new().expect("a scratch home");
    let machine = Machine {
        cli_path: Some(home.path().join("codex")),
        ..machine(&home, &home.path().display().to_string())
    };
    let error = Codex.locate(&machine).expect_err("the CLI is not installed");
    assert_eq!(error.kind(), ErrorKind::CliNotFound);
    assert!(!od_sdk::detect::detect(&Codex, &machine, false).installed);
}

#[test]
#[cfg(unix)]
fn version_comes_from_package_metadata() {
    let result = detect(&["0.166.0"]);
    assert_eq!(result.version.as_deref(), Some("0.166.0"));
    assert_eq!(result.meets_min, Some(true));
    assert_eq!(result.tested_version, Some(TestedVersion::Same));
    assert!(result.capabilities.approvals.is_some());
}

#[test]
#[cfg(unix)]
fn old_version_has_fewer_capabilities() {
    let old = detect(&["0.60.1"]);
    assert_eq!(old.meets_min, Some(true));
    assert_eq!(old.tested_version, Some(TestedVersion::Older));
    assert!(old.capabilities.run.is_some() && old.capabilities.resume.is_some());
    assert!(old.capabilities.approvals.is_none() && old.capabilities.fork.is_none());
    let too_old = detect(&["0.42.0"]);
    assert_eq!(too_old.meets_min, Some(false));
    assert_eq!(too_old.guidance.as_deref(), Some("npm install -g @openai/codex"));
}

#[test]
#[cfg(unix)]
fn first_of_several_installs_is_used() {
    let result = detect(&["0.150.0", "0.166.0"]);
    assert_eq!(result.version.as_deref(), Some("0.150.0"));
    let others = result.evidence.iter().filter(|evidence| evidence.subject.contains("0.166.0"));
    assert_eq!(others.count(), 1, "{:?}", result.evidence);
}
