//! Starting the suite, its reference adapter, and small adapters written as shell scripts.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The executable under test.
pub(crate) const CONFORMANCE: &str = env!("CARGO_BIN_EXE_conformance");

/// Python as the template names it.
pub(crate) const PYTHON: &str = "/usr/bin/python3";

/// What a command printed, and its exit code.
pub(crate) struct CommandOutput {
    /// Its exit code.
    pub(crate) code: i32,
    /// Its stdout and stderr.
    pub(crate) text: String,
}

impl CommandOutput {
    /// Fails the test unless the text contains all of these.
    #[track_caller]
    pub(crate) fn prints(&self, wanted: &[&str]) -> &Self {
        for text in wanted {
            assert!(self.text.contains(text), "{text:?} is missing in:\n{}", self.text);
        }
        self
    }

    /// Fails the test unless the exit code is this one.
    #[track_caller]
    pub(crate) fn exits_with(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "{}", self.text);
        self
    }
}

/// Runs the suite.
pub(crate) fn conformance(arguments: &[&str]) -> CommandOutput {
    let output = Command::new(CONFORMANCE).args(arguments).output().expect("the suite starts");
    let text = [output.stdout, output.stderr].concat();
    CommandOutput {
        code: output.status.code().unwrap_or(-1),
        text: String::from_utf8_lossy(&text).into_owned(),
    }
}

/// Runs some checks on an adapter.
pub(crate) fn run_checks(adapter: &Path, checks: &[&str], more: &[&str]) -> CommandOutput {
    let adapter = adapter.to_string_lossy();
    let only = checks.iter().flat_map(|check| ["--only", check]);
    let arguments = ["run", &adapter, "--patience", "4"].into_iter().chain(only);
    conformance(&arguments.chain(more.iter().copied()).collect::<Vec<_>>())
}

/// Whether an interpreter is installed. Adapters in Python and on Node are for Linux.
pub(crate) fn can_run(interpreter: &str) -> bool {
    let is_installed = Command::new(interpreter).arg("--version").output().is_ok();
    let can_run = cfg!(target_os = "linux") && is_installed;
    if !can_run {
        eprintln!("not checked: {interpreter} is not installed, or this is not Linux");
    }
    can_run
}

/// A folder with the reference adapter or agent, with a fault or without.
pub(crate) struct Reference {
    folder: tempfile::TempDir,
    name: &'static str,
}

impl Reference {
    /// The reference adapter.
    pub(crate) fn with_fault(fault: Option<&str>) -> Self {
        Self::named("od-adapter-mutant", fault)
    }

    /// The reference agent.
    pub(crate) fn agent(fault: Option<&str>) -> Self {
        Self::named("acp-reference-agent", fault)
    }

    fn named(name: &'static str, fault: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let executable = folder.path().join(name);
        if std::fs::hard_link(CONFORMANCE, &executable).is_err() {
            std::fs::copy(CONFORMANCE, &executable).expect("a copy");
        }
        if let Some(fault) = fault {
            std::fs::write(folder.path().join("fault"), fault).expect("a fault");
        }
        Self { folder, name }
    }

    /// Its path.
    pub(crate) fn path(&self) -> String {
        self.folder.path().join(self.name).to_string_lossy().into_owned()
    }

    /// A file beside it.
    pub(crate) fn beside(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }
}

/// The pack of the reference adapter.
pub(crate) fn reference_pack() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packs/mutant")
}

/// A copy of that pack that a test may break.
pub(crate) fn pack_copy(into: &Path) {
    copy_folder(&reference_pack(), into);
}

fn copy_folder(from: &Path, into: &Path) {
    std::fs::create_dir_all(into).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder to read").flatten() {
        let target = into.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// An adapter that is a shell script.
#[cfg(unix)]
pub(crate) fn script_plugin(folder: &Path, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("od-adapter-script");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a script");
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, permissions).expect("its mode");
    path.to_string_lossy().into_owned()
}
