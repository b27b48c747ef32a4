//! Runs the checks of an agent: which of them apply, on how many workers, and with which result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::checks::function_of;
use super::client::Policy;
use super::context::AgentContext;
use super::suite::AgentSuite;
use crate::check::{Check, CheckResult, Kind};
use crate::outcome::{CheckOutcome, Finding};
use crate::parallel;
use crate::runner::{RunnerOptions, build_result, catch_panic, out_of_time};

/// Scenarios that exercise the invariants.
const EXERCISE_SCENARIOS: &[&str] = &["think", "shell", "write"];

/// Runs the checks and returns their results in the same order. The callback receives each result
/// as soon as it is final; invariants are evaluated last.
pub fn run_agent_checks(
    suite: &Arc<AgentSuite>,
    checks: &[Check],
    options: &RunnerOptions,
    on_result: &mut dyn FnMut(&CheckResult),
) -> Vec<CheckResult> {
    let deadline = Instant::now() + options.budget;
    let is_active = |check: &&Check| check.kind == Kind::Active;
    let active: Vec<Check> = checks.iter().filter(is_active).copied().collect();
    let new_context = |worker: usize| {
        let mut context = AgentContext::new(Arc::clone(suite), worker);
        if active.is_empty() {
            // The invariants report what goes wrong here.
            catch_panic(|| exercise_agent(&mut context)).ok();
        }
        context
    };
    let run = |context: &mut AgentContext, check: &Check| {
        let started = Instant::now();
        let outcome = run_check(context, check, deadline);
        build_result(check, outcome, started.elapsed(), options)
    };
    let results = parallel::each_with(&active, options.jobs, new_context, run, on_result);
    let mut results = results.into_iter();
    let in_order = checks.iter().map(|check| match check.kind {
        Kind::Active => results.next(),
        _ => {
            let outcome = invariant_outcome(suite, check);
            let result = build_result(check, outcome, Duration::ZERO, options);
            on_result(&result);
            Some(result)
        }
    });
    in_order.flatten().collect()
}

/// Runs scenarios if no active check does, so that the invariants have messages to verify.
fn exercise_agent(context: &mut AgentContext) -> CheckOutcome {
    context.start_check("exercise");
    let has_model = context.suite.model.is_some();
    for scenario in EXERCISE_SCENARIOS.iter().filter(|_| has_model) {
        let (session, cwd) = context.session()?;
        let prompt = format!("please SCN:{scenario} CWD=<{}>", cwd.display());
        context.agent()?.run_turn(&session, &prompt, Policy::Allow)?;
    }
    context.session().map(drop)
}

fn run_check(context: &mut AgentContext, check: &Check, deadline: Instant) -> CheckOutcome {
    let Some(run) = function_of(check.id) else { return Ok(()) };
    context.suite.gate(check)?;
    if Instant::now() >= deadline {
        return Err(out_of_time());
    }
    context.start_check(check.id);
    let outcome = catch_panic(|| run(context));
    context.finish_check();
    outcome
}

fn invariant_outcome(suite: &AgentSuite, check: &Check) -> CheckOutcome {
    suite.gate(check)?;
    match suite.rules.first(check.id) {
        Some(failure) => Err(failure.into()),
        None if suite.rules.was_exercised(check.id) => Ok(()),
        None => Err(Finding::Skip("no message was received to which it applies".to_owned())),
    }
}
