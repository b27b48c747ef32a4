//! Known failures from a baseline file: unknown, expired and passing entries fail.

use crate::support::{CommandOutput, Reference, conformance};

/// Runs a mutant that fails only HS-02, with a baseline.
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
fn listed_failure_is_known_with_reason() {
    let link = "link = \"https://example.org/1\"\nexpires = 9999-12-31";
    check_baseline(&entry("HS-02", link), "HS-02").exits_with(0).prints(&[
        "known failure HS-02",
        "baseline.toml:2: we know (https://example.org/1)",
        "--baseline",
        "conforms",
    ]);
}

#[test]
fn listed_check_that_passes_is_stale() {
    let text = entry("HS-03", "");
    check_baseline(&text, "HS-03").exits_with(1).prints(&["stale HS-03", "it passes, but"]);
}

#[test]
fn expired_entry_is_stale() {
    let text = entry("HS-02", "expires = 2020-01-31");
    check_baseline(&text, "HS-02")
        .exits_with(1)
        .prints(&["stale HS-02", "accepted until 2020-01-31"]);
}

#[test]
fn entry_for_unknown_check_is_stale() {
    let text = entry("HS-02", "") + &entry("NO-01", "");
    check_baseline(&text, "HS-02").exits_with(1).prints(&["baseline.toml:6: unknown check NO-01"]);
}

#[test]
fn broken_baseline_is_usage_error() {
    check_baseline("[[known_failure]]\nid = \"HS-02\"\n", "HS-02")
        .exits_with(2)
        .prints(&["baseline.toml:1: missing field `reason`", "hint:"]);
    let twice = entry("HS-02", "") + &entry("HS-02", "");
    check_baseline(&twice, "HS-02").exits_with(2).prints(&["HS-02 is listed twice"]);
}
