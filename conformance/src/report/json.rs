//! The report as JSON.

use serde_json::{Value, json};

use super::Report;
use crate::check::{CheckResult, Status};
use crate::outcome::Finding;

/// Converts a report to JSON.
pub fn to_json(report: &Report) -> Value {
    let counts: serde_json::Map<String, Value> = Status::ALL
        .iter()
        .map(|status| (status.as_str().to_owned(), report.count(*status).into()))
        .collect();
    let mut value = json!({
        "plugin": report.adapter,
        "adapterId": report.adapter_id,
        "adapterVersion": report.adapter_version,
        "claim": report.claim(),
        "notEvaluated": report.coverage.not_evaluated,
        "notDeclared": report.coverage.not_declared,
        "conformant": report.is_conformant(),
        "requirements": report.requirements,
        "seed": report.seed,
        "durationMs": report.took.as_millis() as u64,
        "counts": counts,
        "staleEntries": report.stale_entries,
        "results": report.results.iter().map(|result| one(report, result)).collect::<Vec<_>>(),
    });
    if let Some(real) = &report.real {
        value["real"] = real.to_json();
    }
    value
}

fn one(report: &Report, result: &CheckResult) -> Value {
    let mut value = json!({
        "id": result.check.id,
        "level": result.check.level.as_str(),
        "status": result.status.as_str(),
        "sentence": result.check.requirement,
        "durationMs": result.took.as_millis() as u64,
    });
    if let Some(basis) = result.check.basis() {
        value["basis"] = basis.into();
    }
    if let Some(remark) = &result.remark {
        value["remark"] = remark.clone().into();
    }
    match &result.finding {
        None => {}
        Some(Finding::Fail(failure)) => {
            value["sent"] = failure.sent.clone().into();
            value["expected"] = failure.expected.clone().into();
            value["got"] = failure.got.clone().into();
            value["why"] = result.check.why.into();
            value["transcript"] = failure.location.as_ref().map(ToString::to_string).into();
            value["rerun"] = report.rerun(result).into();
        }
        Some(other) => value["reason"] = other.reason().into(),
    }
    value
}
