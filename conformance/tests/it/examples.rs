//! The adapters of `examples/`, written without Rust and without an SDK, judged by the suite.
//! They run on Linux where their interpreter is installed; elsewhere the tests say that they did not.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::conformance;

/// Everything but the chapters that take long; `make conformance` judges with all of them.
const CHAPTERS: &[&str] = &[
    "MAN", "HS", "SHU", "DET-01", "DET-02", "PRM-01", "ENV", "RUN", "ORD", "ENC-01", "CAN-03",
    "SCH",
];

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(path)
}

/// Judges an example, if what it needs is here.
fn check(path: &str, interpreter: &str) {
    let runs_here =
        cfg!(target_os = "linux") && Command::new(interpreter).arg("--version").output().is_ok();
    if !runs_here {
        eprintln!("{interpreter} is not installed, or this is not Linux: {path} was not judged");
        return;
    }
    let plugin = example(path).to_string_lossy().into_owned();
    let only = CHAPTERS.iter().flat_map(|chapter| ["--only", chapter]);
    let arguments: Vec<&str> =
        ["run", &plugin, "--patience", "4"].into_iter().chain(only).collect();
    conformance(&arguments).ends_with(0).says(&["conforms"]);
}

#[test]
fn the_adapter_in_python_conforms() {
    check("python/od-adapter-lines", "/usr/bin/python3");
}

#[test]
fn the_adapter_on_node_conforms() {
    check("node/od-adapter-tally", "node");
}
