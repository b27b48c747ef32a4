//! Every requirement of the specification has one id.

use std::collections::BTreeSet;

use xtask::normative_text::NormativeText;
use xtask::{requirements, specification};

#[test]
fn every_normative_sentence_has_an_id() {
    let problems = NormativeText::parse(&specification::text()).problems;
    assert!(
        problems.is_empty(),
        "{}\nhint: end the sentence with the next free id of its chapter, or with <!-- informative -->",
        problems.join("\n")
    );
}

#[test]
fn requirement_ids_are_unique() {
    let mut seen = BTreeSet::new();
    for requirement in requirements::all() {
        assert!(!requirement.text.is_empty(), "{} has no text", requirement.id);
        assert!(seen.insert(requirement.id.clone()), "{} occurs twice", requirement.id);
    }
}
