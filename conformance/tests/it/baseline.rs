//! Known failures from a baseline file: strict in every direction.

use crate::support::{CommandOutput, Reference, conformance};

/// Judges a mutant that fails HS-02, and only HS-02, with a baseline.
fn check_baseline(baseline: &str, only: &str) -> CommandOutput {
    let reference = Reference::with_fault(Some("echoes_major"));
    let file = reference.beside("baseline.toml");
    std::fs::write(&file, baseline).expect("a baseline");
    conformance(&["run", &reference.path(), "--only", only, "--baseline", &file])
}

fn entry(id: &str, more: &str) -> String {
    format!("[[known_failure]]\nid = \"{id}\"\nreason = \"we know\"\n{more}\n")
}

#[test]
fn listed_and_failing_is_known_with_its_reason() {
    let link = "link = \"https://example.org/1\"\nexpires = 9999-12-31";
    check_baseline(&entry("HS-02", link), "HS-02").exits_with(0).prints(&[
        "known failure HS-02",
        "baseline.toml:2: we know (https://example.org/1)",
        "--baseline",
        "conforms",
    ]);
}

#[test]
fn listed_and_passing_is_red() {
    let text = entry("HS-03", "");
    check_baseline(&text, "HS-03").exits_with(1).prints(&["stale HS-03", "it passes, but"]);
}

#[test]
fn an_entry_that_has_run_out_is_red() {
    let text = entry("HS-02", "expires = 2020-01-31");
    check_baseline(&text, "HS-02")
        .exits_with(1)
        .prints(&["stale HS-02", "accepted until 2020-01-31"]);
}

#[test]
fn an_entry_for_no_check_is_red() {
    let text = entry("HS-02", "") + &entry("NO-01", "");
    check_baseline(&text, "HS-02")
        .exits_with(1)
        .prints(&["baseline.toml:6: there is no check NO-01"]);
}

#[test]
fn a_broken_baseline_is_wrong_usage() {
    check_baseline("[[known_failure]]\nid = \"HS-02\"\n", "HS-02")
        .exits_with(2)
        .prints(&["baseline.toml:1: missing field `reason`", "hint:"]);
    let twice = entry("HS-02", "") + &entry("HS-02", "");
    check_baseline(&twice, "HS-02").exits_with(2).prints(&["HS-02 is listed twice"]);
}
