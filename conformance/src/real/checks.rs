//! What a run with the real agent CLI reports besides its scenarios: the stream rules, and drift.
//! Drift is a SHOULD: a changed agent CLI is not a fault of its adapter.

use std::collections::BTreeSet;

use super::drift::{Change, Drift, FlagFacts};
use super::scenarios::RealScenario;
use crate::check::{Check, Gate, Kind, Level, Tier};
use crate::checks;
use crate::invariants::Violations;
use crate::outcome::{CheckOutcome, Finding, ensure, shorten};

/// Why a scenario matters.
const WHY_SCENARIO: &str = "the fake CLI prints what its pack contains; only the real agent CLI shows that \
                            the adapter works with what people have installed";

/// Why drift matters.
const WHY_DRIFT: &str = "an agent CLI that changes without notice breaks adapters silently: look \
                         at what changed, fix the adapter, then record the new version";

/// One way in which an agent CLI can drift.
type DriftCheck = (&'static str, &'static str, fn(&Drift) -> CheckOutcome);

const DRIFT_CHECKS: &[DriftCheck] = &[
    ("DRIFT-01", "the agent CLI prints every recorded kind of line, and no other", kinds),
    ("DRIFT-02", "the lines of each kind have the recorded members", members),
    ("DRIFT-03", "the adapter maps every kind of line that the agent CLI prints", mapped),
    ("DRIFT-04", "the flags of the agent CLI are the recorded ones", flags),
    ("DRIFT-05", "the agent CLI has the tested version of the manifest", version),
];

pub(super) fn check_of(scenario: &RealScenario) -> Check {
    derived_check(scenario.name, Level::Must, scenario.about, WHY_SCENARIO)
}

fn derived_check(
    id: &'static str,
    level: Level,
    requirement: &'static str,
    why: &'static str,
) -> Check {
    let (gate, tier, kind) = (Gate::NONE, Tier::Fast, Kind::External);
    Check { id, level, requirement, why, gate, tier, kind, citation: None }
}

/// The stream rules with their results.
pub(super) fn rules(violations: &Violations) -> Vec<(Check, CheckOutcome)> {
    let is_rule =
        |check: &Check| check.kind == Kind::Invariant || violations.first(check.id).is_some();
    let check_results = |check: Check| {
        let outcome = match violations.first(check.id) {
            Some(failure) => Err(failure.into()),
            None if violations.was_exercised(check.id) => Ok(()),
            None => Err(Finding::Skip("no run was started".to_owned())),
        };
        (check, outcome)
    };
    checks::all().into_iter().filter(is_rule).map(check_results).collect()
}

pub(super) fn drift_checks(drift: &Drift) -> Vec<(Check, CheckOutcome)> {
    let check_results = |(id, requirement, look): &DriftCheck| {
        (derived_check(id, Level::Should, requirement, WHY_DRIFT), look(drift))
    };
    DRIFT_CHECKS.iter().map(check_results).collect()
}

fn kinds(drift: &Drift) -> CheckOutcome {
    unchanged(drift.kinds.as_ref(), "the pack has no recordings")
}

fn members(drift: &Drift) -> CheckOutcome {
    unchanged(drift.members.as_ref(), "the pack has no recordings")
}

fn mapped(drift: &Drift) -> CheckOutcome {
    let words: Vec<String> =
        drift.unmapped.iter().map(|(name, count)| format!("{name} ({count} times)")).collect();
    ensure(words.is_empty(), "no `unmapped` event", || shorten(&words.join(", "), 2000))
}

fn flags(drift: &Drift) -> CheckOutcome {
    let change = drift.flags.as_ref().and_then(FlagFacts::change);
    unchanged(change.as_ref(), "the recordings have no flags.txt")?;
    let unknown = drift.flags.as_ref().map(FlagFacts::unknown).unwrap_or_default();
    ensure(
        unknown.is_empty(),
        "every flag that the adapter passes is in the help or listed",
        || format!("passed, but neither in the help nor under hidden_flags: {}", listed(&unknown)),
    )
}

fn version(drift: &Drift) -> CheckOutcome {
    let facts = &drift.version;
    let minimum = facts.minimum.as_deref().unwrap_or("none");
    ensure(facts.meets_minimum() != Some(false), format!("at least {minimum}"), || {
        facts.found.clone()
    })?;
    match facts.is_tested() {
        None => Err(Finding::Skip("the manifest names no tested version".to_owned())),
        Some(is_tested) => {
            let tested = facts.tested.clone().unwrap_or_default();
            ensure(is_tested, tested, || facts.found.clone())
        }
    }
}

fn unchanged(change: Option<&Change>, missing: &str) -> CheckOutcome {
    let Some(change) = change else { return Err(Finding::Skip(missing.to_owned())) };
    ensure(change.is_empty(), "nothing new, nothing vanished", || {
        let named = |word: &str, names: &BTreeSet<String>| {
            (!names.is_empty()).then(|| format!("{word}: {}", listed(names)))
        };
        let parts = [named("new", &change.new), named("vanished", &change.vanished)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    })
}

fn listed(names: &BTreeSet<String>) -> String {
    shorten(&names.iter().map(String::as_str).collect::<Vec<_>>().join(", "), 2000)
}
