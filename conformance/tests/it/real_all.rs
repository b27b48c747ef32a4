//! `real-all` with installers that are made up: what is installed, what is told, what fails.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{CONFORMANCE, CommandOutput, pack_copy};

/// A folder with one adapter, its pack, and an `npm` that does as the test says.
struct Location {
    folder: tempfile::TempDir,
}

/// Puts an agent CLI where npm would, and counts how often it was asked.
const INSTALLS: &str = r#"echo x >>"$0.count"; while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin"; printf '#!/bin/sh\necho 4.5.6\n' >"$2/node_modules/.bin/parrot"
chmod +x "$2/node_modules/.bin/parrot""#;

impl Location {
    fn with(npm: &str, table: &str) -> Self {
        let location = Self { folder: tempfile::tempdir().expect("a folder") };
        let pack = location.path("adapters/mutant/conformance");
        pack_copy(&pack);
        let file = pack.join("conformance.toml");
        let text = std::fs::read_to_string(&file).expect("the settings");
        std::fs::write(&file, format!("{text}\n{table}\n")).expect("new settings");
        std::fs::create_dir_all(location.path("plugins")).expect("a folder");
        std::fs::copy(CONFORMANCE, location.path("plugins/od-adapter-mutant")).expect("an adapter");
        std::fs::create_dir_all(location.path("bin")).expect("a folder");
        location.program("npm", npm);
        location
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, name: &str, body: &str) {
        let file = self.path("bin").join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{body}\n")).expect("a program");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&file, mode).expect("its mode");
    }

    fn asked(&self) -> usize {
        let count = std::fs::read_to_string(self.path("bin/npm.count")).unwrap_or_default();
        count.lines().count()
    }

    fn run(&self, path: &str) -> CommandOutput {
        let own = self.path("bin");
        let output = Command::new(CONFORMANCE)
            .args(["real-all", "--adapters", "adapters", "--plugins", "plugins", "--into", "real"])
            .current_dir(self.folder.path())
            .env("PATH", format!("{}{path}", own.display()))
            .output()
            .expect("the suite starts");
        let text = [output.stdout, output.stderr].concat();
        CommandOutput {
            code: output.status.code().unwrap_or(-1),
            text: String::from_utf8_lossy(&text).into_owned(),
        }
    }
}

/// PATH behind the made-up installer.
fn system_path() -> String {
    format!(":{}", std::env::var("PATH").unwrap_or_default())
}

/// A table in which nothing is left to play.
fn nothing_applies() -> String {
    let skipped: String = od_conformance::real::REAL_SCENARIOS
        .iter()
        .map(|scenario| format!("{} = \"made up\"\n", scenario.name))
        .collect();
    format!("[real]\npackage = \"agent@4.5.6\"\n[real.not_applicable]\n{skipped}")
}

/// Where no namespace can be made nothing is tested, and there is nothing to look at.
fn was_tested(outcome: &CommandOutput) -> bool {
    !outcome.text.contains("cannot be kept from the network")
}

#[test]
fn a_package_is_installed_once_and_its_version_told() {
    let location = Location::with(INSTALLS, &nothing_applies());
    let outcome = location.run(&system_path());
    outcome.exits_with(0);
    if was_tested(&outcome) {
        outcome.prints(&["(installed)", "agent@4.5.6", "passed", "found 4.5.6"]);
        assert!(Path::new(&location.path("real/reports/mutant.html")).is_file());
        location.run(&system_path()).exits_with(0).prints(&["(already installed)", "passed"]);
        assert_eq!(location.asked(), 1);
    }
}

#[test]
fn a_failed_scenario_fails_the_whole() {
    let table = "[real]\npackage = \"agent@4.5.6\"";
    let only_plain = nothing_applies().replace("plain = \"made up\"\n", "");
    assert!(only_plain.contains(table));
    let outcome = Location::with(INSTALLS, &only_plain).run(&system_path());
    if was_tested(&outcome) {
        outcome.exits_with(1).prints(&["FAILED", "1 fail"]);
    }
}

#[test]
fn a_registry_out_of_reach_is_told_loudly_and_fails_nothing() {
    let npm = "echo x >>\"$0.count\"; echo 'npm error code EAI_AGAIN' >&2; exit 1";
    let location = Location::with(npm, &nothing_applies());
    let outcome = location.run(&system_path());
    outcome.exits_with(0).prints(&["WARNING: NOT TESTED: mutant with agent@4.5.6"]);
    if was_tested(&outcome) {
        outcome.prints(&["EAI_AGAIN"]);
        assert_eq!(location.asked(), 2, "a failed install is tried once more");
    }
}

#[test]
fn a_package_that_does_not_exist_is_an_error() {
    let npm = "echo x >>\"$0.count\"; echo 'npm error code E404' >&2; exit 1";
    let location = Location::with(npm, &nothing_applies());
    let outcome = location.run(&system_path());
    if was_tested(&outcome) {
        outcome.exits_with(1).prints(&["ERROR: mutant with agent@4.5.6: the registry has no"]);
        assert_eq!(location.asked(), 1, "what is not there is not asked for twice");
    }
}

#[test]
fn without_a_namespace_nothing_is_run_and_nothing_fails() {
    let location = Location::with(INSTALLS, &nothing_applies());
    location.program("unshare", "echo 'unshare failed: not permitted' >&2; exit 1");
    let outcome = location.run(&system_path());
    outcome.exits_with(0);
    // A machine that has nothing but loopback needs no namespace.
    if !was_tested(&outcome) {
        outcome.prints(&["WARNING: NOT TESTED", "not permitted"]);
        assert_eq!(location.asked(), 0);
        assert!(!location.path("real/reports/mutant.json").exists());
    }
}

#[test]
fn a_package_that_is_not_pinned_is_wrong_usage() {
    let location = Location::with(INSTALLS, "[real]\npackage = \"agent@latest\"");
    location.run(&system_path()).exits_with(2).prints(&["agent@latest", "not pinned", "pypi:"]);
}
