//! The version of an install from its own files, in the layouts of several installers.

use od_sdk::probe::locate;
use od_sdk::probe::version::{Installer, from_metadata};

use super::scratch::{CLI, PlainAdapter, Scratch};

const PACKAGE: &str = "home/.npm-global/lib/node_modules/@vendor/made-up";

fn npm_install(scratch: &Scratch, package_json: &str) -> std::path::PathBuf {
    scratch.file(&format!("{PACKAGE}/package.json"), package_json);
    scratch.counting_program(&format!("{PACKAGE}/dist/cli.js"), "echo 9.9.9");
    let target = "../lib/node_modules/@vendor/made-up/dist/cli.js";
    scratch.link(&format!("home/.npm-global/bin/{CLI}"), target)
}

#[test]
fn npm_package_of_program_has_version() {
    let scratch = Scratch::new();
    let link = npm_install(
        &scratch,
        &format!(
            r#"{{"name":"@vendor/made-up","version":"2.1.0","bin":{{"{CLI}":"dist/cli.js"}}}}"#
        ),
    );
    // Folders inside a package may have another `package.json`.
    scratch.file(&format!("{PACKAGE}/dist/package.json"), r#"{"type":"module","version":"0.0.0"}"#);
    let install = locate(&PlainAdapter::new().manifest, &scratch.machine()).expect("found");
    assert_eq!(install.path, link);
    assert_eq!(install.version.as_deref(), Some("2.1.0"));
    assert_eq!(install.tested_version, Some(od_protocol::TestedVersion::Same));
    assert_eq!(scratch.count(), 0);
    let metadata = from_metadata(&link).expect("metadata");
    assert_eq!(metadata.installer, Installer::Npm);
    assert_eq!(metadata.source, scratch.at(&format!("{PACKAGE}/package.json")));
}

#[test]
fn npm_package_without_matching_program_is_ignored() {
    let scratch = Scratch::new();
    let link = npm_install(&scratch, r#"{"version":"3.0.0-beta.1","bin":"./dist/cli.js"}"#);
    assert_eq!(from_metadata(&link).expect("metadata").version, "3.0.0-beta.1");
    for odd in [
        r#"{"version":"1.0.0","bin":{"other":"dist/other.js"}}"#,
        r#"{"version":"1.0.0"}"#,
        r#"{"version":7,"bin":"dist/cli.js"}"#,
        r#"{"bin":"dist/cli.js"}"#,
        r#"{"version":"1.0.0","bin":["dist/cli.js"]}"#,
        "{ half",
        "",
    ] {
        scratch.file(&format!("{PACKAGE}/package.json"), odd);
        assert_eq!(from_metadata(&link), None, "{odd}");
    }
}

#[test]
fn npm_project_above_program_is_ignored() {
    let scratch = Scratch::new();
    scratch.file("home/project/package.json", r#"{"version":"1.0.0","bin":"tools/other"}"#);
    let tool = scratch.program("home/project/tools/cli", "");
    assert_eq!(from_metadata(&tool), None);
}

#[test]
fn pnpm_shim_leads_to_package() {
    let scratch = Scratch::new();
    let package = "home/.local/share/pnpm/global/5/node_modules/made-up";
    scratch.file(&format!("{package}/package.json"), r#"{"version":"2.4.0","bin":"cli.js"}"#);
    scratch.file(&format!("{package}/cli.js"), "");
    let shim = scratch.program(
        &format!("home/.local/share/pnpm/{CLI}"),
        "basedir=$(dirname \"$0\")\n\
         exec node  \"$basedir/global/5/node_modules/made-up/cli.js\" \"$@\"",
    );
    assert_eq!(from_metadata(&shim).expect("metadata").version, "2.4.0");
}

#[test]
fn pipx_distribution_of_script_has_version() {
    let scratch = Scratch::new();
    let environment = "home/.local/share/pipx/venvs/made-up";
    let packages = format!("{environment}/lib/python3.12/site-packages");
    let programs =
        |name: &str| format!("[other]\n{CLI} = x\n\n[console_scripts]\n{name} = m:main\n");
    scratch.file(&format!("{packages}/dep-9.0.dist-info/entry_points.txt"), &programs("dep"));
    scratch
        .file(&format!("{packages}/made_up_cli-2.1.3.dist-info/entry_points.txt"), &programs(CLI));
    scratch.file(&format!("{packages}/plain-1.0.dist-info/METADATA"), "Version: 1.0\n");
    scratch.file(&format!("{environment}/pyvenv.cfg"), "version = 3.12.1\n");
    let script = scratch.program(&format!("{environment}/bin/{CLI}"), "# python");
    let link = scratch.link(&format!("home/.local/bin/{CLI}"), script);
    let metadata = from_metadata(&link).expect("metadata");
    assert_eq!((metadata.version.as_str(), metadata.installer), ("2.1.3", Installer::Python));
    let install = locate(&PlainAdapter::new().manifest, &scratch.machine()).expect("found");
    assert_eq!(install.version.as_deref(), Some("2.1.3"));
}

#[test]
fn pip_user_install_has_version() {
    let scratch = Scratch::new();
    let script = scratch.file("home/.local/bin/tool", "#!/usr/bin/python3\nimport tool\n");
    let packages = "home/.local/lib/python3.11/site-packages";
    scratch.file(
        &format!("{packages}/tool-0.3.dist-info/entry_points.txt"),
        "[console_scripts]\ntool = tool:main",
    );
    assert_eq!(from_metadata(&script).expect("metadata").version, "0.3");
    let shell_script = scratch.program("home/.local/bin/other", "");
    assert_eq!(from_metadata(&shell_script), None);
}

#[test]
fn file_named_after_version_has_version() {
    let scratch = Scratch::new();
    let program = scratch.program("home/.local/share/made-up/versions/2.1.197", "");
    let link = scratch.link(&format!("home/.local/bin/{CLI}"), program);
    let metadata = from_metadata(&link).expect("metadata");
    assert_eq!((metadata.version.as_str(), metadata.installer), ("2.1.197", Installer::Own));
}

#[test]
fn pipe_instead_of_package_file_is_ignored() {
    let scratch = Scratch::new();
    let link = npm_install(&scratch, "{}");
    let description = scratch.at(&format!("{PACKAGE}/package.json"));
    std::fs::remove_file(&description).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&description).status().expect("mkfifo");
    assert!(made.success());
    assert_eq!(from_metadata(&link), None);
}
