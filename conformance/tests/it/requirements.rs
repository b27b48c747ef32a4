//! The frozen requirement set against today's checks. `UPDATE_EXPECT=1` adds checks that are
//! proven by a mutant; it changes and removes nothing.

use std::path::Path;

use od_conformance::acp::{self, AGENT_MUTANTS};
use od_conformance::check::Check;
use od_conformance::checks;
use od_conformance::mutant::MUTANTS;
use od_conformance::requirements::{DEFAULT_ACP_SET, DEFAULT_SET, Requirements, fingerprint};

use crate::support::{Reference, conformance};

/// A frozen set with the checks and mutants it is about.
struct Frozen {
    requirements: Requirements,
    checks: Vec<Check>,
    proven: Vec<&'static str>,
}

fn sets() -> [Frozen; 3] {
    let adapters = MUTANTS.iter().flat_map(|mutant| mutant.must_fail);
    let agents = AGENT_MUTANTS.iter().flat_map(|mutant| mutant.must_fail);
    let of_adapters = |name: &str| Frozen {
        requirements: Requirements::named(name).expect("the set can be read"),
        checks: checks::all(),
        proven: adapters.clone().copied().collect(),
    };
    [
        of_adapters("1.0"),
        of_adapters(DEFAULT_SET),
        Frozen {
            requirements: Requirements::for_agents(DEFAULT_ACP_SET).expect("the set can be read"),
            checks: acp::checks(),
            proven: agents.copied().collect(),
        },
    ]
}

#[test]
fn frozen_checks_are_unchanged() {
    for set in sets() {
        let broken = set.requirements.mismatches(&set.checks);
        assert!(
            broken.is_empty(),
            "a requirement that means something else gets a new id:\n{}",
            broken.join("\n")
        );
        // Only the newest set grows.
        let is_newest = [DEFAULT_SET, DEFAULT_ACP_SET].contains(&set.requirements.name());
        if is_newest && std::env::var_os("UPDATE_EXPECT").is_some() {
            add_new_checks(&set);
        }
    }
}

/// Appends to the file; existing entries stay.
fn add_new_checks(set: &Frozen) {
    let added: String = set
        .checks
        .iter()
        .filter(|check| !set.requirements.counts(check.id) && set.proven.contains(&check.id))
        .map(|check| {
            let (id, level) = (check.id, check.level.as_str());
            let requirement = fingerprint(check.requirement);
            format!("{id} = {{ level = \"{level}\", sentence = \"{requirement}\" }}\n")
        })
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("requirements");
    let file = folder.join(format!("{}.toml", set.requirements.name()));
    let text = std::fs::read_to_string(&file).expect("the set");
    std::fs::write(&file, text + &added).expect("the set");
}

#[test]
fn earlier_set_keeps_its_levels() {
    let earlier = Requirements::for_agents("acp-1").expect("the set can be read");
    assert!(!earlier.mismatches(&acp::checks()).is_empty(), "the levels differ");
    let checks = earlier.with_levels(acp::checks());
    assert_eq!(earlier.mismatches(&checks), Vec::<String>::new());
}

#[test]
fn every_frozen_check_has_mutant() {
    for set in sets() {
        for check in set.checks.iter().filter(|check| set.requirements.counts(check.id)) {
            let is_proven = set.proven.contains(&check.id);
            assert!(is_proven, "{} is frozen, but no mutant must fail it", check.id);
        }
    }
}

#[test]
fn requirement_set_is_selected_by_name() {
    let reference = Reference::with_fault(None);
    let run =
        |set| conformance(&["run", &reference.path(), "--only", "MAN-01", "--requirements", set]);
    run("latest").exits_with(0);
    run("1.0").exits_with(0);
    run("0.9").exits_with(2).prints(&["unknown requirement set \"0.9\"", "1.0, 1.1, latest"]);
}
