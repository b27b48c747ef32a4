//! Running the checks of an agent: which apply, on how many benches, and what becomes of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::bench::AgentBench;
use super::client::Policy;
use super::suite::AgentSuite;
use crate::case::{Body, Check};
use crate::judge::{CheckResult, JudgeOptions, conclude, guarded};
use crate::verdict::{Finding, Verdict};

/// Scenarios that make an agent show what the rules are about.
const TOUR: &[&str] = &["think", "shell", "write"];

/// Runs the checks and gives what became of each, in their order. The callback hears of each as
/// soon as it is known; rules over every line are known last.
pub fn judge_agent(
    suite: &Arc<AgentSuite>,
    checks: &[Check],
    options: &JudgeOptions,
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
                let mut bench = AgentBench::new(Arc::clone(suite), worker);
                if worker == 0 && !checks.iter().any(is_active) {
                    // What goes wrong on it is seen by the rules, or not at all.
                    guarded(|| tour(&mut bench)).ok();
                }
                while let Some(index) = take(next, checks) {
                    let started = Instant::now();
                    let verdict = one(&mut bench, &checks[index], deadline);
                    if sender.send((index, verdict, started.elapsed())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (index, verdict, took) in receiver {
            let result = conclude(&checks[index], verdict, took, options);
            on_result(&result);
            results[index] = Some(result);
        }
    });
    let rest = results.into_iter().zip(checks).map(|(result, check)| {
        result.unwrap_or_else(|| {
            let result = conclude(check, rule(suite, check), Duration::ZERO, options);
            on_result(&result);
            result
        })
    });
    rest.collect()
}

/// The next check that does something itself.
fn take(next: &AtomicUsize, checks: &[Check]) -> Option<usize> {
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let check = checks.get(index)?;
        if is_active(check) {
            return Some(index);
        }
    }
}

fn is_active(check: &Check) -> bool {
    matches!(check.body, Body::Agent(_))
}

/// Makes the agent speak when no check does, so that the rules over every line have something to
/// look at.
fn tour(bench: &mut AgentBench) -> Verdict {
    bench.turn_to("tour");
    let has_model = bench.suite.model.is_some();
    for scenario in TOUR.iter().filter(|_| has_model) {
        let (session, cwd) = bench.session()?;
        let prompt = format!("please SCN:{scenario} CWD=<{}>", cwd.display());
        bench.agent()?.play(&session, &prompt, Policy::Allow)?;
    }
    bench.session().map(drop)
}

fn one(bench: &mut AgentBench, check: &Check, deadline: Instant) -> Verdict {
    let Body::Agent(run) = check.body else { return Ok(()) };
    bench.suite.gate(check)?;
    if Instant::now() >= deadline {
        return Err(Finding::Blocked("the budget of time is used up".to_owned()));
    }
    bench.turn_to(check.id);
    let verdict = guarded(|| run(bench));
    bench.tidy();
    verdict
}

/// What became of a rule over every line.
fn rule(suite: &AgentSuite, check: &Check) -> Verdict {
    suite.gate(check)?;
    match suite.rules.first(check.id) {
        Some(failure) => Err(failure.into()),
        None if suite.rules.has_been_tried(check.id) => Ok(()),
        None => Err(Finding::Skip("nothing was said that it is about".to_owned())),
    }
}
