//! Playing the scenarios, several at once, and saying what became of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::checks::{check_of, drift_checks, rules};
use super::drift::{Drift, Shapes};
use super::facts::Performance;
use super::parallel;
use super::scenarios::{REAL_SCENARIOS, RealScenario};
use super::settings::RealSettings;
use super::stage::{Stage, StageOptions};
use crate::judge::{CheckResult, JudgeOptions, conclude, guarded};
use crate::suite::Suite;
use crate::verdict::{Finding, Verdict};

/// What is played, and how.
#[derive(Clone, Copy)]
pub struct RealOptions<'a> {
    /// The plugin, its manifest and its pack.
    pub suite: &'a Suite,
    /// The pack's `[real]` table.
    pub settings: &'a RealSettings,
    /// The agent CLI.
    pub cli: &'a Path,
    /// Only these scenarios; empty means all.
    pub only: &'a [String],
    /// Whether a relay between adapter and agent CLI writes down what both say.
    pub is_relayed: bool,
}

/// A scenario that was played.
pub struct Played {
    /// The scenario.
    pub scenario: &'static RealScenario,
    /// What became of it.
    pub verdict: Verdict,
    /// How long it took.
    pub took: Duration,
    /// What was seen.
    pub performance: Performance,
}

/// Plays the scenarios, so many at once; each is shown as soon as it is over. They come in their
/// own order.
pub fn play(options: RealOptions<'_>, jobs: usize, show: &mut dyn FnMut(&Played)) -> Vec<Played> {
    let is_wanted = |scenario: &&RealScenario| {
        options.only.is_empty() || options.only.iter().any(|name| name == scenario.name)
    };
    let wanted: Vec<&'static RealScenario> = REAL_SCENARIOS.iter().filter(is_wanted).collect();
    parallel::each(&wanted, jobs, |scenario| one(options, scenario), show)
}

fn one(options: RealOptions<'_>, scenario: &'static RealScenario) -> Played {
    let started = Instant::now();
    let mut performance = Performance::default();
    let verdict = match reason_to_skip(options, scenario) {
        Some(reason) => Err(Finding::Skip(reason)),
        None => guarded(|| perform(options, scenario, &mut performance)),
    };
    Played { scenario, verdict, took: started.elapsed(), performance }
}

fn perform(
    options: RealOptions<'_>,
    scenario: &RealScenario,
    performance: &mut Performance,
) -> Verdict {
    let stage_options = StageOptions {
        suite: options.suite,
        settings: options.settings,
        cli: options.cli,
        is_relayed: options.is_relayed,
        prompt_end: "",
    };
    let folder = PathBuf::from(format!("real-{}", scenario.name));
    let mut stage = Stage::set(&stage_options, scenario.name, &folder)?;
    let verdict = (scenario.play)(&mut stage).map_err(|finding| placed(finding, &stage));
    *performance = seen(&stage);
    let violations = &options.suite.violations;
    if performance.events.iter().any(|summary| !summary.is_empty()) {
        violations.see_event();
    }
    for (rule, failure) in stage.violations.all() {
        violations.add(rule, failure);
    }
    verdict
}

/// What was seen on a stage.
fn seen(stage: &Stage) -> Performance {
    let mut unmapped = BTreeMap::new();
    let records = stage.records();
    for received in records.iter().flat_map(|record| record.of_type("unmapped")) {
        let name = received.value["nativeType"].as_str().unwrap_or_default();
        let count = received.value["count"].as_u64().unwrap_or(1);
        *unmapped.entry(name.to_owned()).or_default() += count;
    }
    Performance {
        events: records.iter().map(crate::plugin::RunRecord::summary).collect(),
        unmapped,
        shapes: Shapes::read(&stage.printed()),
        asked: stage.asked().len(),
        flags: stage.flags(),
        transcript: stage.plugin.place().file,
    }
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

/// Why a scenario is not played.
pub(super) fn reason_to_skip(options: RealOptions<'_>, scenario: &RealScenario) -> Option<String> {
    if let Some(reason) = options.settings.not_applicable.get(scenario.name) {
        return Some(reason.clone());
    }
    let missing = scenario.needs.iter().find(|name| !options.suite.declares(name))?;
    Some(format!("the capability {missing} is not declared"))
}

/// What became of a scenario, in the words of all reports.
pub fn conclude_scenario(played: &Played, options: &JudgeOptions) -> CheckResult {
    conclude(&check_of(played.scenario), played.verdict.clone(), played.took, options)
}

/// What became of the rules over every line and of the comparison with the pack.
pub fn conclude_rest(suite: &Suite, drift: &Drift, options: &JudgeOptions) -> Vec<CheckResult> {
    let judged = rules(&suite.violations).into_iter().chain(drift_checks(drift));
    judged.map(|(check, verdict)| conclude(&check, verdict, Duration::ZERO, options)).collect()
}

/// Everything that a list of known failures may name here.
pub fn real_checks(suite: &Suite) -> Vec<crate::case::Check> {
    let rest = rules(&suite.violations).into_iter().chain(drift_checks(&Drift::default()));
    REAL_SCENARIOS.iter().map(check_of).chain(rest.map(|(check, _)| check)).collect()
}
