//! What people and programs read about a judgement with the real agent CLI.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::confine::Confinement;
use super::drift::{Drift, Recordings};
use super::judge::RealResult;
use crate::console::say;
use crate::verdict::Finding;

/// One judgement.
pub struct RealReport {
    /// The plugin.
    pub plugin: PathBuf,
    /// Its id.
    pub adapter_id: String,
    /// The agent CLI.
    pub cli: PathBuf,
    /// What it says its version is.
    pub found: String,
    /// The version that the manifest says was tested.
    pub tested: Option<String>,
    /// What the tested version printed; `None` when the pack has no recordings.
    pub recordings: Option<Recordings>,
    /// What could be reached.
    pub confinement: Confinement,
    /// What repeats the judgement.
    pub seed: u64,
    /// What became of each scenario.
    pub results: Vec<RealResult>,
    /// How long it took.
    pub took: Duration,
}

impl RealReport {
    /// How many scenarios have a status.
    pub fn count(&self, status: &str) -> usize {
        self.results.iter().filter(|result| result.status() == status).count()
    }

    /// Whether the agent CLI is the version that was tested; `None` when the manifest names none.
    pub fn is_tested_version(&self) -> Option<bool> {
        let tested = self.tested.as_ref()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        Some(self.found.split(|c| !is_word(c)).any(|word| word.trim_start_matches('v') == tested))
    }

    /// What the agent CLI said that the adapter does not know, with how often.
    pub fn unmapped(&self) -> BTreeMap<&str, u64> {
        let mut all = BTreeMap::new();
        for (name, count) in self.results.iter().flat_map(|result| &result.unmapped) {
            *all.entry(name.as_str()).or_default() += count;
        }
        all
    }

    /// What differs from the recordings; `None` when the pack has none.
    pub fn drift(&self) -> Option<Drift> {
        let heard = self.results.iter().map(|it| (it.scenario.name.to_owned(), it.kinds.clone()));
        Some(Drift::between(&heard.collect(), self.recordings.as_ref()?))
    }

    fn rerun(&self, result: &RealResult) -> String {
        format!(
            "conformance run {} --real --cli {} --only {} --seed {}",
            self.plugin.display(),
            self.cli.display(),
            result.scenario.name,
            self.seed
        )
    }
}

/// Prints what became of a scenario.
pub fn print_result(result: &RealResult) {
    let seconds = result.took.as_secs_f64();
    let scenario = result.scenario;
    say!("{:<11} {:<15} {seconds:>5.1} s  {}", result.status(), scenario.name, scenario.about);
    for finding in &result.findings {
        match finding {
            Finding::Fail(failure) => {
                if !failure.sent.is_empty() {
                    say!("    sent:       {}", failure.sent);
                }
                say!("    expected:   {}", failure.expected);
                say!("    got:        {}", failure.got);
                if let Some(place) = &failure.place {
                    say!("    transcript: {place}");
                }
            }
            Finding::Skip(reason)
            | Finding::Blocked(reason)
            | Finding::Untestable(reason)
            | Finding::Suite(reason) => say!("    {reason}"),
        }
    }
}

/// Prints the end of the report.
pub fn print_report(report: &RealReport) {
    for result in report.results.iter().filter(|result| result.status() == "fail") {
        say!("rerun: {}", report.rerun(result));
    }
    for (name, count) in report.unmapped() {
        say!("warning: the adapter does not know {name:?} ({count} times)");
    }
    if let Some(drift) = report.drift() {
        for kind in &drift.new {
            say!("drift: new, in no recording: {kind}");
        }
        for kind in &drift.vanished {
            say!("drift: vanished since it was recorded: {kind}");
        }
    }
    if report.is_tested_version() == Some(false) {
        let tested = report.tested.as_deref().unwrap_or_default();
        say!("warning: found {}, but tested is {tested}", report.found);
    }
    say!(
        "{} with {} ({}): {} passed, {} failed, {} skipped in {:.0} s",
        report.adapter_id,
        report.found,
        report.confinement.as_str(),
        report.count("pass"),
        report.count("fail") + report.count("suite error"),
        report.count("skip"),
        report.took.as_secs_f64()
    );
}

/// The whole report as JSON.
pub fn to_json(report: &RealReport) -> Value {
    let scenarios: Vec<Value> = report.results.iter().map(|result| one(report, result)).collect();
    json!({
        "plugin": report.plugin,
        "adapterId": report.adapter_id,
        "cli": {
            "path": report.cli,
            "found": report.found,
            "tested": report.tested,
            "isTested": report.is_tested_version(),
        },
        "network": report.confinement.as_str(),
        "seed": report.seed,
        "durationMs": report.took.as_millis() as u64,
        "counts": {
            "pass": report.count("pass"),
            "fail": report.count("fail"),
            "skip": report.count("skip"),
            "suite error": report.count("suite error"),
        },
        "unmapped": report.unmapped(),
        "drift": report.drift().map(|drift| drift.to_json()),
        "scenarios": scenarios,
    })
}

fn one(report: &RealReport, result: &RealResult) -> Value {
    json!({
        "name": result.scenario.name,
        "about": result.scenario.about,
        "status": result.status(),
        "durationMs": result.took.as_millis() as u64,
        "events": result.events,
        "unmapped": result.unmapped,
        "findings": result.findings.iter().map(finding_value).collect::<Vec<_>>(),
        "rerun": report.rerun(result),
    })
}

fn finding_value(finding: &Finding) -> Value {
    match finding {
        Finding::Fail(failure) => json!({
            "sent": failure.sent,
            "expected": failure.expected,
            "got": failure.got,
            "transcript": failure.place.as_ref().map(ToString::to_string),
        }),
        Finding::Skip(reason)
        | Finding::Blocked(reason)
        | Finding::Untestable(reason)
        | Finding::Suite(reason) => json!({ "reason": reason }),
    }
}
