//! Runs the checks of an agent: which of them apply, on how many workers, and with which result.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::checks::function_of;
use super::client::Policy;
use super::context::AgentContext;
use super::suite::AgentSuite;
use crate::check::{Check, CheckResult, Kind};
use crate::outcome::{CheckOutcome, Finding};
use crate::runner::{RunnerOptions, build_result, catch_panic};

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
    let next = AtomicUsize::new(0);
    let deadline = Instant::now() + options.budget;
    let (sender, receiver) = channel();
    let mut results: Vec<Option<CheckResult>> = vec![None; checks.len()];
    std::thread::scope(|scope| {
        for worker in 0..options.jobs.max(1) {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                let mut context = AgentContext::new(Arc::clone(suite), worker);
                if worker == 0 && !checks.iter().any(is_active) {
                    // The invariants report what goes wrong here.
                    catch_panic(|| exercise_agent(&mut context)).ok();
                }
                while let Some(index) = next_active(next, checks) {
                    let started = Instant::now();
                    let outcome = run_check(&mut context, &checks[index], deadline);
                    if sender.send((index, outcome, started.elapsed())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (index, outcome, took) in receiver {
            let result = build_result(&checks[index], outcome, took, options);
            on_result(&result);
            results[index] = Some(result);
        }
    });
    let rest = results.into_iter().zip(checks).map(|(result, check)| {
        result.unwrap_or_else(|| {
            let result =
                build_result(check, invariant_outcome(suite, check), Duration::ZERO, options);
            on_result(&result);
            result
        })
    });
    rest.collect()
}

fn next_active(next: &AtomicUsize, checks: &[Check]) -> Option<usize> {
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let check = checks.get(index)?;
        if is_active(check) {
            return Some(index);
        }
    }
}

fn is_active(check: &Check) -> bool {
    check.kind == Kind::Active
}

/// Runs scenarios if no active check does, so that the invariants have messages to verify.
fn exercise_agent(context: &mut AgentContext) -> CheckOutcome {
    context.start_check("tour");
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
        return Err(Finding::Blocked("the time budget is exhausted".to_owned()));
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
