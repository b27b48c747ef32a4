//! Runs checks: which of them apply, in which order, on how many workers, and with which result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::civil::Date;

use crate::baseline::{KnownFailures, today};
use crate::check::{Check, CheckResult, Kind, Level, Status};
use crate::checks::function_of;
use crate::context::CheckContext;
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Failure, Finding, complete_finding, skip_if};
use crate::parallel;
use crate::requirements::Requirements;
use crate::script_variants;
use crate::suite::Suite;

/// Scenarios that make the adapter emit every kind of event, so that invariants are exercised even
/// if no other check runs.
const EXERCISE_SCENARIOS: &[&str] = &[
    "text",
    "thinking",
    "tool_ok",
    "tool_error",
    "file_write",
    "usage",
    "auth_fail_run",
    "context_exceeded",
];

/// The label of the runs before all checks. The self-test finds their records by it.
pub(crate) const EXERCISE_LABEL: &str = "exercise";

/// How checks are run.
#[derive(Debug, Clone)]
pub struct RunnerOptions {
    /// Whether a SHOULD counts as a MUST.
    pub strict: bool,
    /// Whether no check is started after the first failure.
    pub fail_fast: bool,
    /// The number of parallel workers.
    pub jobs: usize,
    /// After this time no check is started; the remaining ones are blocked.
    pub budget: Duration,
    /// The checks that decide about conformance.
    pub requirements: Requirements,
    /// The checks that are known to fail.
    pub known_failures: KnownFailures,
}

/// Runs the checks and returns their results in the same order. The callback receives each result
/// as soon as it is final.
pub fn run_checks(
    suite: &Arc<Suite>,
    checks: &[Check],
    options: &RunnerOptions,
    on_result: &mut dyn FnMut(&CheckResult),
) -> Vec<CheckResult> {
    let outcomes = run_active(suite, checks, options, on_result);
    let mut results: Vec<CheckResult> = Vec::new();
    for (check, (outcome, took)) in checks.iter().zip(outcomes) {
        let outcome = match suite.violations.first(check.id) {
            Some(failure) if gate(suite, check).is_ok() => Err(failure.into()),
            None if outcome.is_ok() && is_unexercised(suite, check) => {
                Err(Finding::Skip("no run was started".to_owned()))
            }
            _ => outcome,
        };
        let result = build_result(check, outcome, took, options);
        let is_unreported =
            check.kind == Kind::Invariant || suite.violations.first(check.id).is_some();
        if is_unreported {
            on_result(&result);
        }
        results.push(result);
    }
    results
}

fn is_unexercised(suite: &Suite, check: &Check) -> bool {
    check.kind == Kind::Invariant && !suite.violations.was_exercised(check.id)
}

type Timed = (CheckOutcome, Duration);

fn run_active(
    suite: &Arc<Suite>,
    checks: &[Check],
    options: &RunnerOptions,
    on_result: &mut dyn FnMut(&CheckResult),
) -> Vec<Timed> {
    let deadline = Instant::now() + options.budget;
    let has_invariants = checks.iter().any(|check| check.kind == Kind::Invariant);
    let new_context = |worker: usize| {
        let mut context = CheckContext::new(Arc::clone(suite));
        if worker == 0 && has_invariants {
            catch_panic(|| exercise_adapter(&mut context)).ok();
        }
        context
    };
    let has_failed = AtomicBool::new(false);
    let run = |context: &mut CheckContext, check: &Check| {
        let started = Instant::now();
        let outcome = if has_failed.load(Ordering::Relaxed) {
            Err(Finding::Skip("not run after the first failure".to_owned()))
        } else if started >= deadline {
            Err(out_of_time())
        } else {
            run_check(context, check)
        };
        if options.fail_fast && is_failure(suite, check, &outcome, options) {
            has_failed.store(true, Ordering::Relaxed);
        }
        (*check, outcome, started.elapsed())
    };
    let mut on_outcome = |(check, outcome, took): &(Check, CheckOutcome, Duration)| {
        let is_final = suite.violations.first(check.id).is_none();
        if check.kind == Kind::Active && is_final {
            on_result(&build_result(check, outcome.clone(), *took, options));
        }
    };
    let outcomes = parallel::each_with(checks, options.jobs, new_context, run, &mut on_outcome);
    outcomes.into_iter().map(|(_, outcome, took)| (outcome, took)).collect()
}

/// Whether the check failed, or a rule was violated during it.
fn is_failure(
    suite: &Suite,
    check: &Check,
    outcome: &CheckOutcome,
    options: &RunnerOptions,
) -> bool {
    let fails = |check: &Check, outcome: CheckOutcome| {
        build_result(check, outcome, Duration::ZERO, options).status.is_failure()
    };
    let is_violated = |(rule, failure): &(&str, Failure)| {
        let rule = crate::checks::all().into_iter().find(|check| check.id == *rule);
        rule.is_some_and(|rule| fails(&rule, Err(failure.clone().into())))
    };
    fails(check, outcome.clone()) || suite.violations.all().iter().any(is_violated)
}

/// The outcome of a check for which no time is left.
pub(crate) fn out_of_time() -> Finding {
    Finding::Blocked("the time budget is exhausted".to_owned())
}

fn run_check(context: &mut CheckContext, check: &Check) -> CheckOutcome {
    gate(&context.suite, check)?;
    let Some(run) = function_of(check.id) else { return Ok(()) };
    context.start_check(check.id);
    let outcome = catch_panic(|| run(context));
    let outcome = outcome.map_err(|finding| complete_finding(finding, context.last_location()));
    context.finish_check();
    outcome
}

/// Reports a panic of the suite as a suite error, so that other checks continue.
pub(crate) fn catch_panic(action: impl FnOnce() -> CheckOutcome) -> CheckOutcome {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Finding::Suite(text.unwrap_or_else(|| "panic without a message".to_owned())))
    })
}

/// Runs scenarios so that the invariants have messages to verify.
fn exercise_adapter(context: &mut CheckContext) -> CheckOutcome {
    context.start_check(EXERCISE_LABEL);
    context.adapter()?;
    for scenario in EXERCISE_SCENARIOS {
        let has = context.suite.has_scenario(scenario);
        if has && context.shared_run(scenario).is_err() {
            context.finish_check();
        }
    }
    exercise_failure(context)
}

/// Produces a failed run for the invariants about failures.
fn exercise_failure(context: &mut CheckContext) -> CheckOutcome {
    if !context.suite.has_cli() || context.suite.pack.is_none() {
        return Ok(());
    }
    let mut prepared = context.prepare("text")?;
    prepared.script = script_variants::cut_after(&prepared.script, 1, &[Step::Exit { code: 1 }]);
    context.execute(prepared).map(drop)
}

/// Returns an error if a check does not apply.
pub(crate) fn gate(suite: &Suite, check: &Check) -> CheckOutcome {
    let gate = check.gate;
    let declares = |name: &str| -> CheckOutcome {
        if suite.manifest.is_none() {
            return Err(Finding::Blocked("MAN-01: the manifest cannot be read".to_owned()));
        }
        if suite.declares(name) {
            return Ok(());
        }
        Err(Finding::Skip(format!("the adapter does not declare {name}")))
    };
    if let Some(capability) = gate.capability {
        declares(capability)?;
    }
    skip_if(gate.cli && !suite.has_cli(), "the adapter does not start an agent CLI")?;
    let Some(scenario) = gate.scenario else { return Ok(()) };
    declares("run")?;
    let Some(pack) = &suite.pack else {
        return Err(Finding::Skip("no fixture pack was found".to_owned()));
    };
    if pack.has(scenario) {
        return Ok(());
    }
    // A declared capability must be demonstrated; [not_applicable] does not excuse it.
    let excuse = pack.settings.not_applicable.get(scenario).filter(|_| gate.capability.is_none());
    match excuse {
        Some(reason) => Err(Finding::Skip(format!("{scenario} does not apply: {reason}"))),
        None => Err(Finding::Untestable(format!(
            "the pack has no scenario {scenario}; add it, or list it under [not_applicable] with the reason"
        ))),
    }
}

/// Builds the result of a check from its outcome.
pub(crate) fn build_result(
    check: &Check,
    outcome: CheckOutcome,
    took: Duration,
    options: &RunnerOptions,
) -> CheckResult {
    let plain = match &outcome {
        Ok(()) => Status::Pass,
        Err(Finding::Skip(_)) => Status::Skip,
        Err(Finding::Suite(_)) => Status::SuiteError,
        Err(Finding::Blocked(_) | Finding::Untestable(_) | Finding::Fail(_))
            if check.level == Level::Practice =>
        {
            Status::Advice
        }
        Err(Finding::Blocked(_)) => Status::Blocked,
        Err(Finding::Untestable(_)) => Status::Untestable,
        Err(Finding::Fail(_)) if check.level == Level::Should && !options.strict => Status::Warn,
        Err(Finding::Fail(_)) => Status::Fail,
    };
    let (status, remark) = apply_requirements(check, plain, options, today());
    CheckResult { check: *check, status, finding: outcome.err(), took, remark }
}

/// Applies the requirement set and the list of known failures to a status.
fn apply_requirements(
    check: &Check,
    plain: Status,
    options: &RunnerOptions,
    today: Date,
) -> (Status, Option<String>) {
    let requirements = &options.requirements;
    match plain {
        Status::Skip | Status::SuiteError => options.known_failures.apply(check.id, plain, today),
        _ if requirements.counts(check.id) => options.known_failures.apply(check.id, plain, today),
        _ => {
            let text = if plain == Status::Pass { "it passes" } else { "it does not pass" };
            let name = requirements.name();
            (Status::AddedLater, Some(format!("{text}; not scored by requirement set {name}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirements::DEFAULT_SET;

    fn check_later(outcome: CheckOutcome, set: &str, wanted: Status) {
        let mut check = crate::checks::all()[0];
        check.id = "NEW-01";
        let options = RunnerOptions {
            strict: false,
            fail_fast: false,
            jobs: 1,
            budget: Duration::ZERO,
            requirements: Requirements::named(set).expect("the set exists"),
            known_failures: KnownFailures::default(),
        };
        let result = build_result(&check, outcome, Duration::ZERO, &options);
        assert_eq!(result.status, wanted);
        assert!(!result.status.is_failure() || set != DEFAULT_SET);
    }

    #[test]
    fn later_check_is_reported_but_not_scored() {
        let failed = || crate::outcome::fail("one thing", "another");
        let suite_error = || Err(Finding::Suite("broken".to_owned()));
        check_later(failed(), DEFAULT_SET, Status::AddedLater);
        check_later(Ok(()), DEFAULT_SET, Status::AddedLater);
        check_later(suite_error(), DEFAULT_SET, Status::SuiteError);
        check_later(failed(), "latest", Status::Fail);
        check_later(Ok(()), "latest", Status::Pass);
    }
}
