//! Results and exit codes.

use crate::support::{Reference, conformance, pack_copy, reference_pack};

#[test]
fn reference_adapter_conforms() {
    let reference = Reference::with_fault(None);
    let pack = reference_pack();
    let outcome = conformance(&[
        "run",
        &reference.path(),
        "--pack",
        &pack.to_string_lossy(),
        "--strict",
        "--patience",
        "3",
    ]);
    outcome.exits_with(0).prints(&["mutant", "conforms"]);
}

#[test]
fn run_without_pack_is_protocol_only() {
    let reference = Reference::with_fault(None);
    let outcome = conformance(&["run", &reference.path(), "--only", "HS", "--only", "SHU-03"]);
    outcome.exits_with(0).prints(&["protocol-only", "skip", "no fixture pack was found"]);
}

#[test]
fn failure_has_reason_location_and_repetition() {
    let reference = Reference::with_fault(Some("banner"));
    let outcome = conformance(&["run", &reference.path(), "--only", "HS-01", "--seed", "11"]);
    outcome.exits_with(1).prints(&[
        "fail HS-01",
        "expected    nothing on stdout before the response",
        "why         a banner on stdout",
        "transcript.log:",
        "--only HS-01 --seed 11",
        "does not conform",
    ]);
}

#[test]
fn should_is_warning_unless_strict() {
    let reference = Reference::with_fault(Some("manifest_varies"));
    let only = ["run", &reference.path(), "--only", "MAN-06"];
    conformance(&only).exits_with(0).prints(&["warn"]);
    conformance(&[&only[..], &["--strict"]].concat()).exits_with(1).prints(&["fail"]);
}

#[test]
fn known_failure_passes_and_stale_fails() {
    let reference = Reference::with_fault(Some("echoes_major"));
    let pack = std::path::PathBuf::from(reference.beside("pack"));
    pack_copy(&pack);
    let settings = pack.join("conformance.toml");
    let text = std::fs::read_to_string(&settings).expect("settings");
    let listed = "[known_failures]\n\"HS-02\" = \"we know\"\n\"HS-03\" = \"not true\"\n";
    std::fs::write(&settings, format!("{text}\n{listed}")).expect("settings");
    let pack = pack.to_string_lossy().into_owned();
    let run = |id| conformance(&["run", &reference.path(), "--pack", &pack, "--only", id]);
    run("HS-02").exits_with(0).prints(&["known failure"]);
    run("HS-03").exits_with(1).prints(&["stale"]);
}

#[test]
fn capability_without_scenario_is_untestable() {
    let reference = Reference::with_fault(None);
    let pack = std::path::PathBuf::from(reference.beside("pack"));
    pack_copy(&pack);
    let settings = pack.join("conformance.toml");
    let text = std::fs::read_to_string(&settings).expect("settings");
    let without = text.replace("[scenario.version_old]", "[scenario._version_old]");
    std::fs::write(&settings, without).expect("settings");
    let pack = pack.to_string_lossy().into_owned();
    conformance(&["run", &reference.path(), "--pack", &pack, "--only", "DET-07"])
        .exits_with(1)
        .prints(&["untestable", "the pack has no scenario version_old"]);
}

#[test]
fn every_mutant_is_found() {
    let outcome = conformance(&["self-test", "--quick", "--jobs", "8", "--patience", "2"]);
    outcome.exits_with(0).prints(&["0 problems"]);
}
