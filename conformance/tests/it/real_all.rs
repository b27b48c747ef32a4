//! `real-all` with scripted installers.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{CONFORMANCE, CommandOutput, pack_copy};

/// A folder with one adapter, its pack, and a scripted `npm`.
struct Location {
    folder: tempfile::TempDir,
}

/// Installs an agent CLI like npm, and counts its calls.
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
        self.run_with(path, &[])
    }

    fn run_with(&self, path: &str, more: &[&str]) -> CommandOutput {
        let own = self.path("bin");
        let output = Command::new(CONFORMANCE)
            .args(["real-all", "--adapters", "adapters", "--plugins", "plugins", "--into", "real"])
            .args(more)
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

/// PATH after the scripted installer.
fn system_path() -> String {
    format!(":{}", std::env::var("PATH").unwrap_or_default())
}

/// A `[real]` table in which no scenario applies.
fn nothing_applies() -> String {
    let skipped: String = od_conformance::real::REAL_SCENARIOS
        .iter()
        .map(|scenario| format!("{} = \"made up\"\n", scenario.name))
        .collect();
    format!("[real]\npackage = \"agent@4.5.6\"\n[real.not_applicable]\n{skipped}")
}

/// Without network namespaces nothing runs, and there is no result to check.
fn was_tested(outcome: &CommandOutput) -> bool {
    !outcome.text.contains("cannot be kept from the network")
}

#[test]
fn package_is_installed_once() {
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
fn failed_scenario_fails_the_command() {
    let table = "[real]\npackage = \"agent@4.5.6\"";
    let only_plain = nothing_applies().replace("plain = \"made up\"\n", "");
    assert!(only_plain.contains(table));
    let outcome = Location::with(INSTALLS, &only_plain).run(&system_path());
    if was_tested(&outcome) {
        outcome.exits_with(1).prints(&["FAILED", "1 fail"]);
    }
}

#[test]
fn acp_agents_are_checked_and_tabulated() {
    let table = "[real]\npackage = \"agent@4.5.6\"\n[real.acp]\nargs = [\"acp\"]";
    let location = Location::with(INSTALLS, table);
    let readme = location.path("README.md");
    let mark = |word: &str| {
        format!("<!-- table of `conformance real-all --profile acp-agent`: {word} -->")
    };
    let (begin, end) = (mark("begin"), mark("end"));
    std::fs::write(&readme, format!("above\n{begin}\nold\n{end}\nbelow\n")).expect("a file");
    let profile = ["--profile", "acp-agent"];
    let outcome =
        location.run_with(&system_path(), &[&profile[..], &["--write", "README.md"]].concat());
    if was_tested(&outcome) {
        // The results of an agent are not failures of the command.
        outcome.exits_with(0).prints(&["| parrot | does not conform |", "fail: HS-01"]);
        let text = std::fs::read_to_string(&readme).expect("a file");
        assert!(text.starts_with("above\n") && text.ends_with("below\n"), "{text}");
        assert!(text.contains("| parrot | does not conform |") && !text.contains("old"), "{text}");
    }
    let without = Location::with(INSTALLS, &nothing_applies());
    let outcome = without.run_with(&system_path(), &profile);
    outcome.exits_with(0);
    assert_eq!(without.asked(), 0, "a pack without [real.acp] is not an ACP agent");
}

#[test]
fn unreachable_registry_is_not_a_failure() {
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
fn missing_package_is_error() {
    let npm = "echo x >>\"$0.count\"; echo 'npm error code E404' >&2; exit 1";
    let location = Location::with(npm, &nothing_applies());
    let outcome = location.run(&system_path());
    if was_tested(&outcome) {
        outcome.exits_with(1).prints(&["ERROR: mutant with agent@4.5.6: the registry has no"]);
        assert_eq!(location.asked(), 1, "what is not there is not asked for twice");
    }
}

#[test]
fn missing_namespace_skips_all() {
    let location = Location::with(INSTALLS, &nothing_applies());
    location.program("unshare", "echo 'unshare failed: not permitted' >&2; exit 1");
    let outcome = location.run(&system_path());
    outcome.exits_with(0);
    // A machine with only loopback needs no namespace.
    if !was_tested(&outcome) {
        outcome.prints(&["WARNING: NOT TESTED", "not permitted"]);
        assert_eq!(location.asked(), 0);
        assert!(!location.path("real/reports/mutant.json").exists());
    }
}

#[test]
fn unpinned_package_is_usage_error() {
    let location = Location::with(INSTALLS, "[real]\npackage = \"agent@latest\"");
    location.run(&system_path()).exits_with(2).prints(&["agent@latest", "not pinned", "pypi:"]);
}
