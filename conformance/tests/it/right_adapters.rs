//! Adapters that are right but differ from ours in every legal way conform: a failure here is a fault of the suite.
//! `make right-adapters` runs every variant, many times. They run on Linux.

use std::path::{Path, PathBuf};

use crate::support::{PYTHON, can_run, conformance};

fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters")
}

/// Runs the whole fast tier on an adapter.
fn check(executable: &Path, pack: &Path) {
    let (executable, pack) = (executable.to_string_lossy(), pack.to_string_lossy());
    let run = ["run", &executable, "--pack", &pack, "--patience", "4", "--jobs", "3"];
    conformance(&run).exits_with(0).prints(&[": conforms"]);
}

/// An adapter whose agent CLI is that of the templates.
fn check_small(id: &str, interpreter: &str) {
    if can_run(interpreter) {
        let executable = adapters().join(id).join(format!("od-adapter-{id}"));
        check(&executable, &adapters().join("../../templates/shared/conformance"));
    }
}

/// A variant of the adapter in Python: a copy beside a file with the name of the variant.
fn check_variant(name: &str) {
    if !can_run(PYTHON) {
        return;
    }
    let (source, scratch) = (adapters().join("right"), tempfile::tempdir().expect("a folder"));
    let copy = |name: &str| {
        std::fs::copy(source.join(name), scratch.path().join(name)).expect("a copy");
    };
    std::fs::create_dir(scratch.path().join("adapter")).expect("a folder");
    for entry in std::fs::read_dir(source.join("adapter")).expect("its modules").flatten() {
        copy(&format!("adapter/{}", entry.file_name().to_string_lossy()));
    }
    copy("od-adapter-right");
    std::fs::write(scratch.path().join("variant"), name).expect("the name of the variant");
    check(&scratch.path().join("od-adapter-right"), &source.join("conformance"));
}

#[test]
fn adapter_in_perl_conforms() {
    check_small("perl", "/usr/bin/perl");
}

#[test]
fn adapter_in_shell_conforms() {
    check_small("shell", "/bin/bash");
}

#[test]
fn variant_with_every_extra_conforms() {
    check_variant("mixture-1");
}
