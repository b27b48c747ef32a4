//! Runs one subject: first the reference adapter with each check alone, to record which faults the
//! check reaches; then every subject with the checks that matter.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::fault_coverage::FaultCoverage;
use super::outcome::Outcome;
use super::subject::{Location, Subject, SubjectFolder};
use crate::adapter_client::AdapterPath;
use crate::baseline::KnownFailures;
use crate::check::{Check, CheckResult, Kind, Status, Tier};
use crate::checks;
use crate::outcome::Finding;
use crate::requirements::Requirements;
use crate::runner::{RunnerOptions, run_checks};
use crate::suite::{Suite, SuiteError, SuiteOptions, open};

/// The time budget of one mutant.
const BUDGET: Duration = Duration::from_secs(120);

/// How many checks of one subject run in parallel; they mostly wait.
const PARALLEL_CHECKS: usize = 4;

/// Rechecks use time limits this many times as long.
const RECHECK_TIME_FACTOR: f64 = 3.0;

/// How every subject runs.
#[derive(Debug, Clone)]
pub struct SelfTestOptions {
    /// The seed of all random values, the same for every subject.
    pub seed: u64,
    /// Multiplies every time limit.
    pub time_factor: f64,
    /// Run only the checks that must find a mutant.
    pub quick: bool,
}

/// Runs the reference adapter with each check alone and reads which faults the check reached.
///
/// # Errors
/// When the suite cannot be opened or a record cannot be read.
pub fn record_fault_coverage(
    location: &Location,
    self_test_options: &SelfTestOptions,
    jobs: usize,
) -> Result<FaultCoverage, SuiteError> {
    let home = location.install(Subject::REFERENCE, "coverage")?;
    let records = home.record()?;
    let suite = Arc::new(opened(location, &home, self_test_options, Tier::Brief)?);
    let (rules, active): (Vec<Check>, Vec<Check>) = checks().into_iter().partition(is_rule);
    let alone = active.into_iter().map(|check| vec![check]);
    let queue: Mutex<VecDeque<Vec<Check>>> = Mutex::new(alone.chain([rules]).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(next) = pop(&queue) {
                    run_checks(&suite, &next, &options(1), &mut |_| {});
                }
            });
        }
    });
    Ok(FaultCoverage::read(&records, &home.work())?)
}

/// Runs the checks of one subject.
pub fn run_subject(
    location: &Location,
    self_test_options: &SelfTestOptions,
    coverage: Option<&FaultCoverage>,
    subject: Subject,
) -> Outcome {
    let started = Instant::now();
    let wanted = wanted(subject, self_test_options.quick, coverage);
    match run_suite(location, self_test_options, subject, &wanted, "first") {
        Ok(results) => Outcome::of(subject, &results, started.elapsed()),
        Err(error) => Outcome::not_run(subject, &describe_error(error)),
    }
}

/// Runs unexpected results again with longer limits: on a busy machine a time limit can pass although
/// nothing is wrong.
pub fn recheck(location: &Location, self_test_options: &SelfTestOptions, outcome: &mut Outcome) {
    let is_unexpected = |check: &Check| outcome.unexpected.contains(&check.id);
    let rechecked: Vec<Check> = checks().into_iter().filter(is_unexpected).collect();
    let slower = SelfTestOptions {
        time_factor: self_test_options.time_factor * RECHECK_TIME_FACTOR,
        ..self_test_options.clone()
    };
    match run_suite(location, &slower, outcome.subject, &rechecked, "again") {
        Ok(results) => outcome.replace(&results),
        Err(error) => {
            outcome.problems.push(format!("could not be rechecked: {}", describe_error(error)))
        }
    }
}

fn run_suite(
    location: &Location,
    self_test_options: &SelfTestOptions,
    subject: Subject,
    checks: &[Check],
    purpose: &str,
) -> Result<Vec<CheckResult>, SuiteError> {
    let home = location.install(subject, purpose)?;
    let tier = if subject.mutant.is_some() { Tier::Brief } else { Tier::Fast };
    let suite = Arc::new(opened(location, &home, self_test_options, tier)?);
    let mut results = run_checks(&suite, checks, &options(PARALLEL_CHECKS), &mut |_| {});
    let is_requested = |id: &str| checks.iter().any(|check| check.id == id);
    let broken = self::checks().into_iter().filter(|rule| is_rule(rule) && !is_requested(rule.id));
    results.extend(broken.filter_map(|rule| broken_rule(&suite, rule)));
    Ok(results)
}

/// A violation of a stream rule that was not among the requested checks.
fn broken_rule(suite: &Suite, rule: Check) -> Option<CheckResult> {
    let finding = Finding::from(suite.violations.first(rule.id)?);
    Some(CheckResult {
        check: rule,
        status: Status::Fail,
        finding: Some(finding),
        took: Duration::ZERO,
        remark: None,
    })
}

/// The checks that can distinguish this subject from the reference adapter.
fn wanted(subject: Subject, quick: bool, coverage: Option<&FaultCoverage>) -> Vec<Check> {
    let is_wanted = |check: &Check| match (subject.mutant, coverage) {
        (Some(mutant), _) if quick => mutant.must_fail.contains(&check.id),
        (Some(_), Some(coverage)) if is_rule(check) => coverage.exercise_covers(subject.name),
        (Some(_), Some(coverage)) => coverage.covers(subject.name, check.id),
        _ => true,
    };
    checks().into_iter().filter(is_wanted).collect()
}

pub(super) fn checks() -> Vec<Check> {
    checks::all().into_iter().filter(|check| check.tier == Tier::Fast).collect()
}

pub(super) fn is_rule(check: &Check) -> bool {
    check.kind == Kind::Invariant
}

pub(super) fn opened(
    location: &Location,
    home: &SubjectFolder,
    self_test_options: &SelfTestOptions,
    tier: Tier,
) -> Result<Suite, SuiteError> {
    open(SuiteOptions {
        adapter: AdapterPath { executable: home.executable.clone(), arguments: Vec::new() },
        pack: Some(location.pack()),
        seed: self_test_options.seed,
        tier,
        time_factor: self_test_options.time_factor,
        work: home.work(),
        executable: location.executable().to_owned(),
    })
}

pub(super) fn options(jobs: usize) -> RunnerOptions {
    RunnerOptions {
        strict: true,
        fail_fast: false,
        jobs,
        budget: BUDGET,
        requirements: Requirements::latest(),
        known_failures: KnownFailures::default(),
    }
}

pub(super) fn pop<T>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

pub(super) fn describe_error(error: SuiteError) -> String {
    match error {
        SuiteError::Adapter(message) => message,
        SuiteError::Pack(error) => error.to_string(),
        SuiteError::Suite(error) => error.to_string(),
    }
}
