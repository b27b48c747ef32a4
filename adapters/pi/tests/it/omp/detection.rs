//! Detection in test homes.

use od_protocol::ErrorKind;
use od_sdk::{Adapter, Machine};
use pi_family::OMP;
use tempfile::TempDir;

#[test]
fn missing_cli_error_has_install_command() {
    let home = TempDir::new().expect("a scratch home");
    let env = [("PATH".to_owned(), "/nowhere".to_owned())].into();
    let machine = Machine { home: home.path().to_owned(), env, ..Machine::default() };
    let error = OMP.locate(&machine).expect_err("nothing is installed");
    assert_eq!(error.kind(), ErrorKind::CliNotFound);
    let hint = error.hint().unwrap_or_default();
    assert!(hint.contains("@oh-my-pi/pi-coding-agent"), "{hint}");
}

/// The interpreter is not beside the script when bun has its own folder: its folder is added.
#[cfg(unix)]
#[test]
fn version_and_bun_folder_are_found() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = TempDir::new().expect("a scratch home");
    let bun_folder = home.path().join(".bun/bin");
    let package = home.path().join(".bun/install/global/node_modules/@oh-my-pi/pi-coding-agent");
    fs::create_dir_all(package.join("dist")).expect("a folder");
    fs::create_dir_all(&bun_folder).expect("a folder");
    let manifest =
        r#"{"name":"@oh-my-pi/pi-coding-agent","version":"18.2.3","bin":{"omp":"dist/cli.js"}}"#;
    fs::write(package.join("package.json"), manifest).expect("a file");
    let executables =
        [(package.join("dist/cli.js"), "#!/usr/bin/env bun\n"), (bun_folder.join("bun"), "")];
    for (path, content) in executables {
        fs::write(&path, content).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    }
    let bin = home.path().join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    symlink(package.join("dist/cli.js"), bin.join("omp")).expect("a link");
    let env = [("PATH".to_owned(), bin.display().to_string())].into();
    let machine = Machine { home: home.path().to_owned(), env, ..Machine::default() };
    let install = OMP.locate(&machine).expect("it is there");
    assert_eq!(install.version.as_deref(), Some("18.2.3"));
    assert!(install.extra_path.contains(&bun_folder), "{:?}", install.extra_path);
}
