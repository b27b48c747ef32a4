//! The results of the self-test as JSON.

use serde_json::{Value, json};

use super::outcome::{Cell, Outcome};

/// The JSON document.
pub fn document(seed: u64, outcomes: &[Outcome]) -> Value {
    let subjects: Vec<Value> = outcomes.iter().map(subject).collect();
    json!({"seed": seed, "subjects": subjects})
}

fn subject(outcome: &Outcome) -> Value {
    let fault = outcome.subject.mutant.map(|mutant| mutant.fault.summary().trim());
    let checks: serde_json::Map<String, Value> = outcome
        .cells
        .iter()
        .map(|(id, cell)| ((*id).to_owned(), Value::from(word(*cell))))
        .collect();
    json!({
        "name": outcome.subject.name,
        "fault": fault,
        "mustFail": outcome.subject.must_fail(),
        "mayFail": outcome.subject.mutant.map_or(&[][..], |mutant| mutant.may_fail),
        "checks": checks,
        "complaints": outcome.problems,
        "durationMs": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
    })
}

const fn word(cell: Cell) -> &'static str {
    match cell {
        Cell::Pass => "pass",
        Cell::Caught => "caught",
        Cell::Also => "also",
        Cell::Wrong => "wrong",
        Cell::NoResult => "no verdict",
    }
}
