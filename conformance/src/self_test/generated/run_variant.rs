//! Runs a right but different adapter with every check.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::run_subject::{
    SelfTestOptions, checks, describe_error, is_rule, opened, options,
};
use super::super::subject::Location;
use super::run_fault::{describe, install};
use crate::check::{Check, CheckResult, Status, Tier};
use crate::generated_faults::LegalVariant;
use crate::runner::run_checks;
use crate::suite::SuiteError;

/// How many checks of one variant run in parallel; they mostly wait.
const PARALLEL_CHECKS: usize = 4;

/// Failures are repeated with time limits this many times as long.
const RECHECK_TIME_FACTOR: f64 = 3.0;

/// The result of a legal variant.
#[derive(Debug, Clone)]
pub struct VariantOutcome {
    /// The name of the variant.
    pub name: &'static str,
    /// The checks that fail although nothing is wrong, with what they received.
    pub false_failures: Vec<(&'static str, String)>,
    /// How long it took.
    pub took: Duration,
}

/// Runs a legal variant; quick runs verify the stream rules only.
pub fn run_variant(
    location: &Location,
    self_test_options: &SelfTestOptions,
    variant: &LegalVariant,
) -> VariantOutcome {
    let started = Instant::now();
    let is_wanted = |check: &Check| !self_test_options.quick || is_rule(check);
    let wanted: Vec<Check> = checks().into_iter().filter(is_wanted).collect();
    let first = run(location, self_test_options, variant, &wanted);
    let false_failures = match first {
        Ok(results) => recheck(location, self_test_options, variant, &failed(&results)),
        Err(error) => Err(error),
    };
    VariantOutcome {
        name: variant.name,
        false_failures: false_failures
            .unwrap_or_else(|error| vec![("start", describe_error(error))]),
        took: started.elapsed(),
    }
}

fn recheck(
    location: &Location,
    self_test_options: &SelfTestOptions,
    variant: &LegalVariant,
    failed_checks: &[Check],
) -> Result<Vec<(&'static str, String)>, SuiteError> {
    if failed_checks.is_empty() {
        return Ok(Vec::new());
    }
    let slower = SelfTestOptions {
        time_factor: self_test_options.time_factor * RECHECK_TIME_FACTOR,
        ..self_test_options.clone()
    };
    let results = run(location, &slower, variant, failed_checks)?;
    let again = results.iter().filter(|result| is_failure(result));
    Ok(again.map(|result| (result.check.id, describe(result))).collect())
}

fn run(
    location: &Location,
    self_test_options: &SelfTestOptions,
    variant: &LegalVariant,
    checks: &[Check],
) -> Result<Vec<CheckResult>, SuiteError> {
    let home = install(location, variant.name, &variant.alterations)?;
    let suite = Arc::new(opened(location, &home, self_test_options, Tier::Brief)?);
    Ok(run_checks(&suite, checks, &options(PARALLEL_CHECKS), &mut |_| {}))
}

fn failed(results: &[CheckResult]) -> Vec<Check> {
    results.iter().filter(|result| is_failure(result)).map(|result| result.check).collect()
}

fn is_failure(result: &CheckResult) -> bool {
    result.status.is_failure() || result.status == Status::SuiteError
}
