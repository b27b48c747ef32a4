//! Playing the scenarios one after the other and saying what became of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use super::drift;
use super::scenarios::{REAL_SCENARIOS, RealScenario};
use super::settings::RealSettings;
use super::stage::Stage;
use crate::suite::Suite;
use crate::verdict::Finding;

/// What is judged, and how much of it.
pub struct RealOptions<'a> {
    /// The plugin, its manifest and its pack.
    pub suite: &'a Suite,
    /// The pack's `[real]` table.
    pub settings: &'a RealSettings,
    /// The agent CLI.
    pub cli: &'a Path,
    /// Only these scenarios; empty means all.
    pub only: &'a [String],
}

/// What became of a scenario.
pub struct RealResult {
    /// The scenario.
    pub scenario: &'static RealScenario,
    /// What was found; nothing means that it passed.
    pub findings: Vec<Finding>,
    /// What the adapter said, run by run, in a few words.
    pub events: Vec<String>,
    /// What the agent CLI said that the adapter does not know, with how often.
    pub unmapped: BTreeMap<String, u64>,
    /// The kinds of lines that the agent CLI printed.
    pub kinds: BTreeSet<String>,
    /// How long it took.
    pub took: Duration,
}

impl RealResult {
    /// `pass`, `skip`, `suite error` or `fail`.
    pub fn status(&self) -> &'static str {
        let has = |is_it: fn(&Finding) -> bool| self.findings.iter().any(is_it);
        if self.findings.is_empty() {
            "pass"
        } else if has(|finding| matches!(finding, Finding::Suite(_))) {
            "suite error"
        } else if self.findings.iter().all(|finding| matches!(finding, Finding::Skip(_))) {
            "skip"
        } else {
            "fail"
        }
    }
}

/// Plays the scenarios; each result is shown as soon as it is there.
pub fn judge(options: &RealOptions<'_>, show: &mut dyn FnMut(&RealResult)) -> Vec<RealResult> {
    let is_wanted = |scenario: &&RealScenario| {
        options.only.is_empty() || options.only.iter().any(|name| name == scenario.name)
    };
    let mut results = Vec::new();
    for scenario in REAL_SCENARIOS.iter().filter(is_wanted) {
        let result = one(options, scenario);
        show(&result);
        results.push(result);
    }
    results
}

fn one(options: &RealOptions<'_>, scenario: &'static RealScenario) -> RealResult {
    let started = Instant::now();
    let mut result = RealResult {
        scenario,
        findings: Vec::new(),
        events: Vec::new(),
        unmapped: BTreeMap::new(),
        kinds: BTreeSet::new(),
        took: Duration::ZERO,
    };
    if let Some(reason) = reason_to_skip(options, scenario) {
        result.findings.push(Finding::Skip(reason));
        return result;
    }
    match Stage::set(options.suite, options.settings, options.cli, scenario.name) {
        Ok(mut stage) => {
            result.findings.extend((scenario.play)(&mut stage).err().map(|it| placed(it, &stage)));
            for record in stage.records() {
                result.events.push(record.summary());
                for received in record.of_type("unmapped") {
                    let name = received.value["nativeType"].as_str().unwrap_or_default();
                    let count = received.value["count"].as_u64().unwrap_or(1);
                    *result.unmapped.entry(name.to_owned()).or_default() += count;
                }
            }
            let trace = std::fs::read(stage.trace()).unwrap_or_default();
            result.kinds = drift::kinds(&String::from_utf8_lossy(&trace));
            for (rule, mut failure) in stage.violations.all() {
                failure.sent = format!("{rule}, a rule over every line");
                result.findings.push(failure.into());
            }
        }
        Err(finding) => result.findings.push(finding),
    }
    result.took = started.elapsed();
    result
}

/// A failure without a place gets the last line of the transcript.
fn placed(finding: Finding, stage: &Stage) -> Finding {
    match finding {
        Finding::Fail(mut failure) => {
            failure.place.get_or_insert_with(|| stage.plugin.place());
            Finding::Fail(failure)
        }
        other => other,
    }
}

fn reason_to_skip(options: &RealOptions<'_>, scenario: &RealScenario) -> Option<String> {
    if let Some(reason) = options.settings.not_applicable.get(scenario.name) {
        return Some(reason.clone());
    }
    let missing = scenario.needs.iter().find(|name| !options.suite.declares(name))?;
    Some(format!("the capability {missing} is not declared"))
}
