//! Agent CLIs that do not use pipes: adapters of an HTTP server and of a terminal conform. Both are
//! made of the Python template, so they run on Linux where Python is installed.

use std::path::Path;

use crate::support::{PYTHON, Reference, can_run, conformance, run_checks};

/// The checks that depend on how the adapter and its CLI exchange messages.
const TRANSPORT_CHECKS: &[&str] = &[
    "RUN", "PRM-01", "PRM-02", "ENC-01", "ENC-02", "ENC-04", "ROB-01", "ROB-03", "CAN-01",
    "CAN-02", "ERR-01", "ERR-02", "ENV", "ORD",
];

/// Runs those checks on an adapter and compares which pass.
fn check(id: &str, passed: &[&str]) {
    if !can_run(PYTHON) {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters").join(id);
    let output = run_checks(&folder.join(format!("od-adapter-{id}")), TRANSPORT_CHECKS, &[]);
    let passed: Vec<String> = passed.iter().map(|check| format!("pass  {check}")).collect();
    let passed: Vec<&str> = passed.iter().map(String::as_str).collect();
    output.exits_with(0).prints(&[&format!("{id} 0.1.0: conforms")]).prints(&passed);
}

#[test]
fn adapter_of_http_server_conforms() {
    check("served", &["RUN-03", "ENC-02", "ROB-03", "CAN-01", "ERR-01"]);
}

#[test]
fn adapter_of_terminal_conforms() {
    check("typed", &["RUN-03", "PRM-01", "ENC-02", "CAN-02", "ERR-01"]);
}

#[test]
fn missing_terminal_is_reported() {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters/typed/conformance");
    let reference = Reference::with_fault(None);
    let pack = pack.to_string_lossy();
    let run = ["run", &reference.path(), "--pack", &pack, "--only", "RUN-02"];
    let outcome = conformance(&run);
    outcome.exits_with(1).prints(&["this agent CLI needs a terminal: stdin is not a terminal"]);
}
