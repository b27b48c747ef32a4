//! The adapters of `examples/`, written without Rust and without an SDK, judged by the suite.
//! They run on Linux where their interpreter is installed; elsewhere the tests say that they did not.

use std::path::Path;
use std::process::Command;

use crate::support::{Outcome, conformance};

/// All but the checks that send megabytes, hundreds of runs, or wait for an agent CLI that hangs.
const BRISK: &[&str] = &[
    "MAN", "HS", "SHU", "DET-01", "DET-02", "DET-06", "PRM-01", "PRM-04", "ENV", "RUN", "ORD",
    "ENC-01", "ENC-02", "ENC-04", "ROB-01", "ROB-02", "ROB-03", "CAN-02", "CAN-03", "ERR", "SCH",
];

/// What the suite says of an example; nothing when what it needs is not here.
fn judge(path: &str, interpreter: &str) -> Option<Outcome> {
    let is_installed = Command::new(interpreter).arg("--version").output().is_ok();
    if !cfg!(target_os = "linux") || !is_installed {
        eprintln!("{interpreter} is not installed, or this is not Linux: {path} was not judged");
        return None;
    }
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(path);
    let plugin = plugin.to_string_lossy();
    let only = BRISK.iter().flat_map(|check| ["--only", check]);
    let arguments: Vec<&str> =
        ["run", &plugin, "--patience", "4"].into_iter().chain(only).collect();
    Some(conformance(&arguments))
}

#[test]
fn the_adapter_in_python_conforms() {
    if let Some(outcome) = judge("python/od-adapter-lines", "/usr/bin/python3") {
        outcome.ends_with(0).says(&["lines 0.1.0: conforms", "pass  RUN-02", "pass  CAN-03"]);
    }
}

#[test]
fn the_adapter_on_node_conforms() {
    if let Some(outcome) = judge("node/od-adapter-tally", "node") {
        let chapters = ["pass  RUN-02", "pass  CAN-03", "pass  ORD-05", "pass  ORD-08"];
        outcome.ends_with(0).says(&["tally 0.1.0: conforms"]).says(&chapters);
    }
}
