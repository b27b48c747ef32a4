//! Detection in test homes with the old package, the new one, both or none.

use std::fs;
use std::path::Path;

use od_protocol::{ErrorKind, TestedVersion};
use od_sdk::{Adapter, Machine};
use pi_family::PI;
use tempfile::TempDir;

/// Creates an npm package whose executable is linked as `pi` in a separate folder.
#[cfg(unix)]
fn install(home: &Path, prefix: &str, package: &str, version: &str) -> String {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = home.join(prefix).join("lib/node_modules").join(package);
    fs::create_dir_all(folder.join("dist")).expect("a folder");
    let manifest =
        format!(r#"{{"name":"{package}","version":"{version}","bin":{{"pi":"dist/cli.js"}}}}"#);
    fs::write(folder.join("package.json"), manifest).expect("a file");
    let cli = folder.join("dist/cli.js");
    fs::write(&cli, "#!/bin/sh\nexit 1\n").expect("a file");
    fs::set_permissions(&cli, fs::Permissions::from_mode(0o755)).expect("executable");
    let bin = home.join(prefix).join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    symlink(&cli, bin.join("pi")).expect("a link");
    bin.display().to_string()
}

fn machine(home: &Path, path: &str) -> Machine {
    Machine {
        home: home.to_owned(),
        env: [("PATH".to_owned(), path.to_owned())].into(),
        ..Machine::default()
    }
}

#[test]
fn missing_cli_error_has_install_command() {
    let home = TempDir::new().expect("a scratch home");
    let error = PI.locate(&machine(home.path(), "/nowhere")).expect_err("nothing is installed");
    assert_eq!(error.kind(), ErrorKind::CliNotFound);
    let hint = error.hint().unwrap_or_default();
    assert!(hint.contains("npm install -g @earendil-works/pi-coding-agent"), "{hint}");
}

#[cfg(unix)]
#[test]
fn version_comes_from_package() {
    let home = TempDir::new().expect("a scratch home");
    let new = install(home.path(), "new", "@earendil-works/pi-coding-agent", "0.87.1");
    let old = install(home.path(), "old", "@mariozechner/pi-coding-agent", "0.73.1");
    let newest = install(home.path(), "newest", "@earendil-works/pi-coding-agent", "1.5.0");
    let found = |path: &str| PI.locate(&machine(home.path(), path)).expect("it is there");
    assert_eq!(found(&new).version.as_deref(), Some("0.87.1"));
    assert_eq!(found(&new).tested_version, Some(TestedVersion::Same));
    assert_eq!(found(&old).tested_version, Some(TestedVersion::Older));
    assert_eq!(found(&newest).tested_version, Some(TestedVersion::Newer));
}

#[cfg(unix)]
#[test]
fn first_install_on_path_is_used() {
    let home = TempDir::new().expect("a scratch home");
    let new = install(home.path(), "new", "@earendil-works/pi-coding-agent", "0.87.1");
    let old = install(home.path(), "old", "@mariozechner/pi-coding-agent", "0.73.1");
    let install = PI.locate(&machine(home.path(), &format!("{old}:{new}"))).expect("found");
    assert_eq!(install.version.as_deref(), Some("0.73.1"));
    let evidence = format!("{:?}", install.evidence);
    assert!(evidence.contains(&new), "the second one is named: {evidence}");
}
