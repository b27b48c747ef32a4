//! The frozen requirement set against today's checks. `UPDATE_EXPECT=1` adds checks that are
//! proven by a mutant; it changes and removes nothing.

use std::path::Path;

use od_conformance::cases;
use od_conformance::mutant::MUTANTS;
use od_conformance::requirements::{DEFAULT_SET, Requirements, fingerprint};

use crate::support::{Reference, conformance};

#[test]
fn frozen_checks_are_what_they_were() {
    let requirements = Requirements::named(DEFAULT_SET).expect("the set can be read");
    let broken = requirements.broken_by(&cases::all());
    assert!(
        broken.is_empty(),
        "a requirement that means something else gets a new id:\n{}",
        broken.join("\n")
    );
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        add_new_checks(&requirements);
    }
}

/// Appends to the file; what stands there stays.
fn add_new_checks(requirements: &Requirements) {
    let is_proven = |id: &str| MUTANTS.iter().any(|mutant| mutant.must_fail.contains(&id));
    let added: String = cases::all()
        .iter()
        .filter(|check| !requirements.counts(check.id) && is_proven(check.id))
        .map(|check| {
            let (id, level) = (check.id, check.level.as_str());
            let sentence = fingerprint(check.sentence);
            format!("{id} = {{ level = \"{level}\", sentence = \"{sentence}\" }}\n")
        })
        .collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("requirements/1.0.toml");
    let text = std::fs::read_to_string(&file).expect("the set");
    std::fs::write(&file, text + &added).expect("the set");
}

#[test]
fn every_frozen_check_is_proven_by_a_mutant() {
    let requirements = Requirements::named(DEFAULT_SET).expect("the set can be read");
    for check in cases::all().iter().filter(|check| requirements.counts(check.id)) {
        let is_proven = MUTANTS.iter().any(|mutant| mutant.must_fail.contains(&check.id));
        assert!(is_proven, "{} is frozen, but no mutant must fail it", check.id);
    }
}

#[test]
fn the_set_is_chosen_by_name() {
    let reference = Reference::with_fault(None);
    let run =
        |set| conformance(&["run", &reference.path(), "--only", "MAN-01", "--requirements", set]);
    run("latest").ends_with(0);
    run("1.0").ends_with(0);
    run("0.9").ends_with(2).says(&["no requirement set \"0.9\"", "1.0, latest"]);
}
