//! Runs the scenarios in parallel and evaluates each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::checks::{check_of, drift_checks, rules};
use super::drift::{Drift, Shapes};
use super::facts::ScenarioRecord;
use super::scenario_context::{ScenarioContext, ScenarioContextOptions};
use super::scenarios::{REAL_SCENARIOS, RealScenario};
use crate::check::CheckResult;
use crate::outcome::{CheckOutcome, Finding};
use crate::pack::RealSettings;
use crate::parallel;
use crate::runner::{RunnerOptions, build_result, catch_panic};
use crate::suite::Suite;

/// Which scenarios run, and how.
#[derive(Clone, Copy)]
pub struct RealOptions<'a> {
    /// The adapter, its manifest and its pack.
    pub suite: &'a Suite,
    /// The pack's `[real]` table.
    pub settings: &'a RealSettings,
    /// The agent CLI.
    pub cli: &'a Path,
    /// Only these scenarios; empty means all.
    pub only: &'a [String],
    /// Whether a relay between adapter and agent CLI records both sides.
    pub is_relayed: bool,
}

/// A scenario that ran.
pub struct ScenarioResult {
    /// The scenario.
    pub scenario: &'static RealScenario,
    /// Its outcome.
    pub outcome: CheckOutcome,
    /// How long it took.
    pub took: Duration,
    /// Its record.
    pub scenario_record: ScenarioRecord,
}

/// Runs the scenarios in parallel; `show` gets each when it ends. The results are in the order of
/// the scenarios.
pub fn run_scenarios(
    options: RealOptions<'_>,
    jobs: usize,
    show: &mut dyn FnMut(&ScenarioResult),
) -> Vec<ScenarioResult> {
    let is_wanted = |scenario: &&RealScenario| {
        options.only.is_empty() || options.only.iter().any(|name| name == scenario.name)
    };
    let wanted: Vec<&'static RealScenario> = REAL_SCENARIOS.iter().filter(is_wanted).collect();
    parallel::each(&wanted, jobs, |scenario| run_one(options, scenario), show)
}

fn run_one(options: RealOptions<'_>, scenario: &'static RealScenario) -> ScenarioResult {
    let started = Instant::now();
    let mut scenario_record = ScenarioRecord::default();
    let outcome = match reason_to_skip(options, scenario) {
        Some(reason) => Err(Finding::Skip(reason)),
        None => catch_panic(|| run_in_context(options, scenario, &mut scenario_record)),
    };
    ScenarioResult { scenario, outcome, took: started.elapsed(), scenario_record }
}

fn run_in_context(
    options: RealOptions<'_>,
    scenario: &RealScenario,
    scenario_record: &mut ScenarioRecord,
) -> CheckOutcome {
    let context_options = ScenarioContextOptions {
        suite: options.suite,
        settings: options.settings,
        cli: options.cli,
        is_relayed: options.is_relayed,
        prompt_suffix: "",
    };
    let folder = PathBuf::from(format!("real-{}", scenario.name));
    let mut context = ScenarioContext::new(&context_options, scenario.name, &folder)?;
    let outcome = (scenario.run)(&mut context).map_err(|finding| with_location(finding, &context));
    *scenario_record = collect_record(&context);
    let violations = &options.suite.violations;
    if scenario_record.events.iter().any(|summary| !summary.is_empty()) {
        violations.record_event();
    }
    for (rule, failure) in context.violations.all() {
        violations.add(rule, failure);
    }
    outcome
}

fn collect_record(context: &ScenarioContext) -> ScenarioRecord {
    let mut unmapped = BTreeMap::new();
    let records = context.records();
    for received in records.iter().flat_map(|record| record.of_type("unmapped")) {
        let name = received.value["nativeType"].as_str().unwrap_or_default();
        let count = received.value["count"].as_u64().unwrap_or(1);
        *unmapped.entry(name.to_owned()).or_default() += count;
    }
    ScenarioRecord {
        events: records.iter().map(crate::adapter_client::RunRecord::summary).collect(),
        unmapped,
        shapes: Shapes::read(&context.cli_output()),
        model_requests: context.model_requests().len(),
        flags: context.flags(),
        transcript: context.adapter.location().file,
    }
}

/// Adds the last line of the transcript to a failure without a location.
fn with_location(finding: Finding, context: &ScenarioContext) -> Finding {
    match finding {
        Finding::Fail(mut failure) => {
            failure.location.get_or_insert_with(|| context.adapter.location());
            Finding::Fail(failure)
        }
        other => other,
    }
}

/// Why a scenario is skipped.
pub(super) fn reason_to_skip(options: RealOptions<'_>, scenario: &RealScenario) -> Option<String> {
    if let Some(reason) = options.settings.not_applicable.get(scenario.name) {
        return Some(reason.clone());
    }
    let missing = scenario.needs.iter().find(|name| !options.suite.declares(name))?;
    Some(format!("the capability {missing} is not declared"))
}

/// The check result of a scenario.
pub fn scenario_check_result(
    scenario_result: &ScenarioResult,
    options: &RunnerOptions,
) -> CheckResult {
    build_result(
        &check_of(scenario_result.scenario),
        scenario_result.outcome.clone(),
        scenario_result.took,
        options,
    )
}

/// The check results of the stream rules and of drift.
pub fn other_check_results(
    suite: &Suite,
    drift: &Drift,
    options: &RunnerOptions,
) -> Vec<CheckResult> {
    let check_results = rules(&suite.violations).into_iter().chain(drift_checks(drift));
    check_results
        .map(|(check, outcome)| build_result(&check, outcome, Duration::ZERO, options))
        .collect()
}

/// All checks that a list of known failures may name.
pub fn real_checks(suite: &Suite) -> Vec<crate::check::Check> {
    let rest = rules(&suite.violations).into_iter().chain(drift_checks(&Drift::default()));
    REAL_SCENARIOS.iter().map(check_of).chain(rest.map(|(check, _)| check)).collect()
}
