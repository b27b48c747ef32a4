//! `conformance self-test --generated`.

use crate::support::conformance;

#[test]
fn sample_of_generated_faults_is_found() {
    let options = ["--generated", "--quick", "--seed", "11", "--jobs", "6", "--patience", "2"];
    let outcome = conformance(&[&["self-test"], &options[..]].concat());
    outcome.exits_with(0).prints(&["60 faults", " with 0 false failures"]);
}

#[test]
fn generated_fault_is_reported_with_its_chapter() {
    let only = ["--only", "event.done.status.completed_as_failed"];
    let outcome =
        conformance(&[&["self-test", "--generated", "--patience", "2"], &only[..]].concat());
    outcome.exits_with(0).prints(&["caught", "chapter", "done", "100.0 %"]);
}
