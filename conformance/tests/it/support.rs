//! Starting the suite, its reference adapter, and small plugins written as shell scripts.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The executable under test.
pub(crate) const CONFORMANCE: &str = env!("CARGO_BIN_EXE_conformance");

/// What came of a command.
pub(crate) struct Outcome {
    /// Its exit code.
    pub(crate) code: i32,
    /// Its stdout and stderr.
    pub(crate) text: String,
}

impl Outcome {
    /// Fails the test unless the text contains all of these.
    #[track_caller]
    pub(crate) fn says(&self, wanted: &[&str]) -> &Self {
        for text in wanted {
            assert!(self.text.contains(text), "{text:?} is missing in:\n{}", self.text);
        }
        self
    }

    /// Fails the test unless it ended with this code.
    #[track_caller]
    pub(crate) fn ends_with(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "{}", self.text);
        self
    }
}

/// Runs the suite.
pub(crate) fn conformance(arguments: &[&str]) -> Outcome {
    let output = Command::new(CONFORMANCE).args(arguments).output().expect("the suite starts");
    let text = [output.stdout, output.stderr].concat();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        text: String::from_utf8_lossy(&text).into_owned(),
    }
}

/// A folder with the suite's own adapter or agent in it, with a fault or without.
pub(crate) struct Reference {
    folder: tempfile::TempDir,
    name: &'static str,
}

impl Reference {
    /// Puts it there.
    pub(crate) fn with_fault(fault: Option<&str>) -> Self {
        Self::named("od-adapter-mutant", fault)
    }

    /// The suite's own agent.
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

/// The pack of the suite's own adapter.
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

/// A plugin that is a shell script.
#[cfg(unix)]
pub(crate) fn script_plugin(folder: &Path, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("od-adapter-script");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a script");
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, permissions).expect("its mode");
    path.to_string_lossy().into_owned()
}
