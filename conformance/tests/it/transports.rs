//! Agent CLIs that do not use pipes: adapters of an HTTP server and of a terminal conform. Both are
//! made of the Python template, so they run on Linux where Python is installed.

use std::path::Path;

use crate::support::{CommandOutput, PYTHON, Reference, can_run, conformance, run_checks};

/// The checks that depend on how the adapter and its CLI exchange messages.
const TRANSPORT_CHECKS: &[&str] = &[
    "RUN", "PRM-01", "PRM-02", "ENC-01", "ENC-02", "ENC-04", "ROB-01", "ROB-03", "CAN-01",
    "CAN-02", "ERR-01", "ERR-02", "ENV", "ORD",
];

/// The outcome of those checks; `None` where the adapter cannot run.
fn check(id: &str) -> Option<CommandOutput> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters").join(id);
    can_run(PYTHON)
        .then(|| run_checks(&folder.join(format!("od-adapter-{id}")), TRANSPORT_CHECKS, &[]))
}

#[test]
fn adapter_of_http_server_conforms() {
    if let Some(outcome) = check("served") {
        let passed =
            ["pass  RUN-03", "pass  ENC-02", "pass  ROB-03", "pass  CAN-01", "pass  ERR-01"];
        outcome.exits_with(0).prints(&["served 0.1.0: conforms"]).prints(&passed);
    }
}

#[test]
fn adapter_of_terminal_conforms() {
    if let Some(outcome) = check("typed") {
        let passed =
            ["pass  RUN-03", "pass  PRM-01", "pass  ENC-02", "pass  CAN-02", "pass  ERR-01"];
        outcome.exits_with(0).prints(&["typed 0.1.0: conforms"]).prints(&passed);
    }
}

#[test]
fn missing_terminal_is_reported() {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters/typed/conformance");
    let reference = Reference::with_fault(None);
    let pack = pack.to_string_lossy();
    let run = ["run", &reference.path(), "--pack", &pack, "--only", "RUN-02"];
    let outcome = conformance(&run);
    outcome.exits_with(1).prints(&["this agent CLI needs a terminal: its stdin is none"]);
}
