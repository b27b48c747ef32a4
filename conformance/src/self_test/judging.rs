//! Judging one subject: first the right adapter with each check by itself, to learn which faults it
//! comes past; then everybody with the checks that matter.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::outcome::Outcome;
use super::reach::Reach;
use super::subject::{Home, Place, Subject};
use crate::baseline::KnownFailures;
use crate::case::{Body, Check, Tier};
use crate::cases;
use crate::judge::{CheckResult, JudgeOptions, Status, judge};
use crate::open::{OpenError, OpenOptions, open};
use crate::plugin::PluginPath;
use crate::requirements::Requirements;
use crate::suite::Suite;
use crate::verdict::Finding;

/// No mutant may take longer, however it hangs.
const BUDGET: Duration = Duration::from_secs(120);

/// How many checks of one subject run at once. Most of their time is waiting.
const BENCHES: usize = 4;

/// A second look is taken with limits of time so much longer.
const CALM: f64 = 3.0;

/// How everybody is judged.
#[derive(Debug, Clone)]
pub struct Judging {
    /// Decides every random value, the same for everybody.
    pub seed: u64,
    /// Factor on every limit of time.
    pub patience: f64,
    /// Only the checks that must catch a mutant.
    pub quick: bool,
}

/// Judges the right adapter with each check by itself and reads which faults it came past.
///
/// # Errors
/// When the adapter cannot be judged or its records cannot be read.
pub fn record_reach(place: &Place, judging: &Judging, jobs: usize) -> Result<Reach, OpenError> {
    let home = place.put(Subject::REFERENCE, "reach")?;
    let records = home.record()?;
    let suite = Arc::new(opened(place, &home, judging, Tier::Brief)?);
    let (rules, active): (Vec<Check>, Vec<Check>) = checks().into_iter().partition(is_rule);
    let alone = active.into_iter().map(|check| vec![check]);
    let queue: Mutex<VecDeque<Vec<Check>>> = Mutex::new(alone.chain([rules]).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(next) = pop(&queue) {
                    judge(&suite, &next, &options(1), &mut |_| {});
                }
            });
        }
    });
    Ok(Reach::read(&records, &home.work())?)
}

/// Judges one subject.
pub fn judge_subject(
    place: &Place,
    judging: &Judging,
    reach: Option<&Reach>,
    subject: Subject,
) -> Outcome {
    let started = Instant::now();
    let wanted = wanted(subject, judging.quick, reach);
    match judged(place, judging, subject, &wanted, "first") {
        Ok(results) => Outcome::of(subject, &results, started.elapsed()),
        Err(error) => Outcome::unjudged(subject, &words(error)),
    }
}

/// Judges once more what came out otherwise than it must: on a busy machine a limit of time can
/// pass although nothing is wrong.
pub fn look_again(place: &Place, judging: &Judging, outcome: &mut Outcome) {
    let is_doubted = |check: &Check| outcome.doubts.contains(&check.id);
    let doubted: Vec<Check> = checks().into_iter().filter(is_doubted).collect();
    let calm = Judging { patience: judging.patience * CALM, ..judging.clone() };
    match judged(place, &calm, outcome.subject, &doubted, "again") {
        Ok(results) => outcome.replace(&results),
        Err(error) => outcome.complaints.push(format!("no second look: {}", words(error))),
    }
}

fn judged(
    place: &Place,
    judging: &Judging,
    subject: Subject,
    checks: &[Check],
    purpose: &str,
) -> Result<Vec<CheckResult>, OpenError> {
    let home = place.put(subject, purpose)?;
    let tier = if subject.mutant.is_some() { Tier::Brief } else { Tier::Fast };
    let suite = Arc::new(opened(place, &home, judging, tier)?);
    let mut results = judge(&suite, checks, &options(BENCHES), &mut |_| {});
    let is_judged = |id: &str| checks.iter().any(|check| check.id == id);
    let broken = self::checks().into_iter().filter(|rule| is_rule(rule) && !is_judged(rule.id));
    results.extend(broken.filter_map(|rule| broken_rule(&suite, rule)));
    Ok(results)
}

/// A rule over every line that was broken although nobody asked for it.
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

/// The checks that can tell this subject from the right adapter.
fn wanted(subject: Subject, quick: bool, reach: Option<&Reach>) -> Vec<Check> {
    let is_wanted = |check: &Check| match (subject.mutant, reach) {
        (Some(mutant), _) if quick => mutant.must_fail.contains(&check.id),
        (Some(_), Some(reach)) if is_rule(check) => reach.tour_covers(subject.name),
        (Some(_), Some(reach)) => reach.covers(subject.name, check.id),
        _ => true,
    };
    checks().into_iter().filter(is_wanted).collect()
}

fn checks() -> Vec<Check> {
    cases::all().into_iter().filter(|check| check.tier == Tier::Fast).collect()
}

fn is_rule(check: &Check) -> bool {
    matches!(check.body, Body::Invariant)
}

fn opened(place: &Place, home: &Home, judging: &Judging, tier: Tier) -> Result<Suite, OpenError> {
    open(OpenOptions {
        plugin: PluginPath { executable: home.executable.clone(), arguments: Vec::new() },
        pack: Some(place.pack()),
        seed: judging.seed,
        tier,
        patience: judging.patience,
        work: home.work(),
        executable: place.executable().to_owned(),
    })
}

fn options(jobs: usize) -> JudgeOptions {
    JudgeOptions {
        strict: true,
        jobs,
        budget: BUDGET,
        requirements: Requirements::latest(),
        known_failures: KnownFailures::default(),
    }
}

fn pop<T>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

fn words(error: OpenError) -> String {
    match error {
        OpenError::Plugin(message) => message,
        OpenError::Pack(error) => error.to_string(),
        OpenError::Suite(error) => error.to_string(),
    }
}
