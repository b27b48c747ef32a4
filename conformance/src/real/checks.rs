//! What a judgement with the real agent CLI reports besides its scenarios: the rules over every
//! line, and drift. Drift is a SHOULD: an agent CLI that changed is no fault of its adapter.

use std::collections::BTreeSet;

use super::drift::{Change, Drift, FlagFacts};
use super::scenarios::RealScenario;
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::cases;
use crate::invariants::Violations;
use crate::verdict::{Finding, Verdict, ensure, shorten};

/// Why a scenario matters.
const WHY_SCENARIO: &str = "a stand-in says what its pack says; only the real agent CLI shows that \
                            the adapter works with what people have installed";

/// Why drift matters.
const WHY_DRIFT: &str = "an agent CLI that changes without notice breaks adapters in silence: look \
                         at what changed, mend the adapter, then record the new version";

/// One way in which an agent CLI can drift.
type DriftCheck = (&'static str, &'static str, fn(&Drift) -> Verdict);

const DRIFT_CHECKS: &[DriftCheck] = &[
    (
        "DRIFT-01",
        "the agent CLI says every kind of line it said when it was recorded, and no other",
        kinds,
    ),
    (
        "DRIFT-02",
        "the lines of each kind have the members they had when they were recorded",
        members,
    ),
    ("DRIFT-03", "the adapter knows every kind of line that the agent CLI says", mapped),
    ("DRIFT-04", "the flags of the agent CLI are those that were recorded", flags),
    ("DRIFT-05", "the agent CLI is the version that the manifest says was tested", version),
];

/// A scenario as a check.
pub(super) fn check_of(scenario: &RealScenario) -> Check {
    made_elsewhere(scenario.name, Level::Must, scenario.about, WHY_SCENARIO)
}

fn made_elsewhere(
    id: &'static str,
    level: Level,
    sentence: &'static str,
    why: &'static str,
) -> Check {
    Check { id, level, sentence, why, gate: Gate::NONE, tier: Tier::Fast, body: Body::Elsewhere }
}

/// The rules over every line, and what became of each.
pub(super) fn rules(violations: &Violations) -> Vec<(Check, Verdict)> {
    let is_rule = |check: &Check| {
        matches!(check.body, Body::Invariant) || violations.first(check.id).is_some()
    };
    let judged = |check: Check| {
        let verdict = match violations.first(check.id) {
            Some(failure) => Err(failure.into()),
            None if violations.has_been_tried(check.id) => Ok(()),
            None => Err(Finding::Skip("no run was made".to_owned())),
        };
        (check, verdict)
    };
    cases::all().into_iter().filter(is_rule).map(judged).collect()
}

/// Every way in which the agent CLI may have drifted, and whether it has.
pub(super) fn drift_checks(drift: &Drift) -> Vec<(Check, Verdict)> {
    let judged = |(id, sentence, look): &DriftCheck| {
        (made_elsewhere(id, Level::Should, sentence, WHY_DRIFT), look(drift))
    };
    DRIFT_CHECKS.iter().map(judged).collect()
}

fn kinds(drift: &Drift) -> Verdict {
    unchanged(drift.kinds.as_ref(), "the pack has no recordings")
}

fn members(drift: &Drift) -> Verdict {
    unchanged(drift.members.as_ref(), "the pack has no recordings")
}

fn mapped(drift: &Drift) -> Verdict {
    let words: Vec<String> =
        drift.unmapped.iter().map(|(name, count)| format!("{name} ({count} times)")).collect();
    ensure(words.is_empty(), "no `unmapped` event", || shorten(&words.join(", "), 2000))
}

fn flags(drift: &Drift) -> Verdict {
    let change = drift.flags.as_ref().and_then(FlagFacts::change);
    unchanged(change.as_ref(), "the recordings have no flags.txt")?;
    let unknown = drift.flags.as_ref().map(FlagFacts::unknown).unwrap_or_default();
    ensure(unknown.is_empty(), "every flag that the adapter passes is shown or listed", || {
        format!("passed, but neither in the help nor under hidden_flags: {}", listed(&unknown))
    })
}

fn version(drift: &Drift) -> Verdict {
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

fn unchanged(change: Option<&Change>, missing: &str) -> Verdict {
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
