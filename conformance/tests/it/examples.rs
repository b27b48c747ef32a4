//! The adapters of `examples/`, written without Rust and without an SDK, judged by the suite; and two
//! that are made of one of them, for agent CLIs that are a server or need a terminal. They run on Linux where their interpreter is installed; elsewhere the tests say that they did not.

use std::path::Path;
use std::process::Command;

use crate::support::{Outcome, Reference, conformance};

const PYTHON: &str = "/usr/bin/python3";

/// All but the checks that send megabytes, hundreds of runs, or wait for an agent CLI that hangs.
const BRISK: &[&str] = &[
    "MAN", "HS", "SHU", "DET-01", "DET-02", "DET-06", "PRM-01", "PRM-04", "ENV", "RUN", "ORD",
    "ENC-01", "ENC-02", "ENC-04", "ROB-01", "ROB-02", "ROB-03", "CAN-02", "CAN-03", "ERR", "SCH",
];

/// What tells whether an adapter understands an agent CLI that does not talk by pipes.
const CONVERSATION: &[&str] = &[
    "RUN", "PRM-01", "PRM-02", "ENC-01", "ENC-02", "ENC-04", "ROB-01", "ROB-03", "CAN-01",
    "CAN-02", "ERR-01", "ERR-02", "ENV", "ORD",
];

/// What the suite says of an example; nothing when what it needs is not here.
fn judge(path: &str, interpreter: &str, checks: &[&str]) -> Option<Outcome> {
    let is_installed = Command::new(interpreter).arg("--version").output().is_ok();
    if !cfg!(target_os = "linux") || !is_installed {
        eprintln!("{interpreter} is not installed, or this is not Linux: {path} was not judged");
        return None;
    }
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let plugin = plugin.to_string_lossy();
    let only = checks.iter().flat_map(|check| ["--only", check]);
    let arguments: Vec<&str> =
        ["run", &plugin, "--patience", "4"].into_iter().chain(only).collect();
    Some(conformance(&arguments))
}

#[test]
fn the_adapter_in_python_conforms() {
    if let Some(outcome) = judge("examples/python/od-adapter-lines", PYTHON, BRISK) {
        outcome.ends_with(0).says(&["lines 0.1.0: conforms", "pass  RUN-02", "pass  CAN-03"]);
    }
}

#[test]
fn the_adapter_on_node_conforms() {
    if let Some(outcome) = judge("examples/node/od-adapter-tally", "node", BRISK) {
        let chapters = ["pass  RUN-02", "pass  CAN-03", "pass  ORD-05", "pass  ORD-08"];
        outcome.ends_with(0).says(&["tally 0.1.0: conforms"]).says(&chapters);
    }
}

#[test]
fn the_adapter_in_python_is_short() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/python/od-adapter-lines");
    let text = std::fs::read_to_string(path).expect("the example");
    assert!(text.lines().count() <= 200, "{} lines", text.lines().count());
}

#[test]
fn the_adapter_on_node_has_the_types_it_claims() {
    let Some(tsc) = std::env::var_os("TSC") else {
        eprintln!("TSC names no TypeScript compiler: the types of examples/node were not checked");
        return;
    };
    let tsc = std::path::PathBuf::from(tsc);
    let types = tsc.ancestors().nth(2).expect("it is in node_modules/.bin").join("@types");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/node");
    let output = Command::new(&tsc).arg("-p").arg(project).arg("--typeRoots").arg(types).output();
    let output = output.expect("the TypeScript compiler starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn an_adapter_of_a_server_conforms() {
    if let Some(outcome) = judge("tests/adapters/served/od-adapter-served", PYTHON, CONVERSATION) {
        let chapters =
            ["pass  RUN-03", "pass  ENC-02", "pass  ROB-03", "pass  CAN-01", "pass  ERR-01"];
        outcome.ends_with(0).says(&["served 0.1.0: conforms"]).says(&chapters);
    }
}

#[test]
fn an_adapter_of_a_terminal_conforms() {
    if let Some(outcome) = judge("tests/adapters/typed/od-adapter-typed", PYTHON, CONVERSATION) {
        let chapters =
            ["pass  RUN-03", "pass  PRM-01", "pass  ENC-02", "pass  CAN-02", "pass  ERR-01"];
        outcome.ends_with(0).says(&["typed 0.1.0: conforms"]).says(&chapters);
    }
}

#[test]
fn an_adapter_without_a_terminal_is_told_so() {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters/typed/conformance");
    let reference = Reference::with_fault(None);
    let pack = pack.to_string_lossy();
    let run = ["run", &reference.path(), "--pack", &pack, "--only", "RUN-02"];
    let outcome = conformance(&run);
    outcome.ends_with(1).says(&["this agent CLI needs a terminal: its stdin is none"]);
}
