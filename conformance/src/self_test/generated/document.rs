//! The results of the generated faults as JSON.

use serde_json::{Value, json};

use super::result::{FaultResult, Outcome};
use super::run_variant::VariantOutcome;
use super::summary::{ChapterCount, count_chapters};

/// The JSON document.
pub fn document(seed: u64, outcomes: &[Outcome], variants: &[VariantOutcome]) -> Value {
    let (chapters, total) = count_chapters(outcomes);
    let chapters = chapters.iter().map(|(chapter, count)| counts(chapter.name(), count));
    json!({
        "seed": seed,
        "chapters": chapters.collect::<Vec<_>>(),
        "total": counts("total", &total),
        "faults": outcomes.iter().map(fault).collect::<Vec<_>>(),
        "legalVariants": variants.iter().map(variant).collect::<Vec<_>>(),
    })
}

fn counts(name: &str, count: &ChapterCount) -> Value {
    json!({
        "name": name,
        "generated": count.generated,
        "forbidden": count.forbidden,
        "caught": count.caught,
        "survived": count.survived,
        "notReached": count.not_reached,
        "share": count.share(),
    })
}

fn fault(outcome: &Outcome) -> Value {
    let (result, by, note) = match &outcome.result {
        FaultResult::Caught { by, got, .. } => ("caught", Some(*by), Some(got.as_str())),
        FaultResult::Survived { .. } => ("survived", None, None),
        FaultResult::NotReached => ("not reached", None, None),
        FaultResult::NeverOccurs => ("never occurs", None, None),
        FaultResult::Legal(reason) => ("legal", None, Some(*reason)),
        FaultResult::NotRun(reason) => ("not run", None, Some(reason.as_str())),
    };
    json!({
        "name": outcome.fault.name,
        "chapter": outcome.fault.chapter.name(),
        "result": result,
        "caughtBy": by,
        "note": note,
        "durationMs": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
    })
}

fn variant(outcome: &VariantOutcome) -> Value {
    let failures = outcome.false_failures.iter();
    let failures: Vec<Value> =
        failures.map(|(check, got)| json!({"check": check, "got": got})).collect();
    json!({"name": outcome.name, "falseFailures": failures})
}
