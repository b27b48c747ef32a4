//! Runs one generated fault with the checks that reach it, until one of them fails.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::run_subject::{
    SelfTestOptions, checks, describe_error, is_rule, opened, options,
};
use super::super::subject::{Location, SubjectFolder};
use super::proven::ProvenFault;
use super::reach::Reach;
use super::result::{FaultResult, Outcome};
use crate::check::{Check, CheckResult, Status, Tier};
use crate::generated_faults::{ALTERATIONS_FILE, Alteration, Chapter, GeneratedFault};
use crate::outcome::{Finding, shorten};
use crate::runner::{EXERCISE_LABEL, run_checks};
use crate::suite::{Suite, SuiteError};

/// How many checks of one fault run in parallel; they mostly wait.
const PARALLEL_CHECKS: usize = 3;

/// Which checks found faults so far, to try them first on similar faults.
#[derive(Debug, Default)]
pub struct CatchHistory {
    by_group: Mutex<BTreeMap<(String, &'static str), usize>>,
}

impl CatchHistory {
    fn count(&self, group: &str, check: &'static str) -> usize {
        let by_group = self.by_group.lock().unwrap_or_else(PoisonError::into_inner);
        by_group.get(&(group.to_owned(), check)).copied().unwrap_or(0)
    }

    fn add(&self, fault: &GeneratedFault, check: &'static str) {
        let mut by_group = self.by_group.lock().unwrap_or_else(PoisonError::into_inner);
        for group in [place_group(&fault.name), chapter_group(fault.chapter)] {
            *by_group.entry((group, check)).or_default() += 1;
        }
    }
}

fn place_group(name: &str) -> String {
    name.split('.').take(2).collect::<Vec<_>>().join(".")
}

fn chapter_group(chapter: Chapter) -> String {
    chapter.name().to_owned()
}

/// One step: a check, or the runs for the stream rules.
#[derive(Clone, Copy)]
enum Step {
    Check(Check),
    StreamRules,
}

impl Step {
    const fn name(&self) -> &'static str {
        match self {
            Self::Check(check) => check.id,
            Self::StreamRules => EXERCISE_LABEL,
        }
    }
}

/// Runs a fault.
pub fn run_fault(
    location: &Location,
    self_test_options: &SelfTestOptions,
    reach: &Reach,
    history: &CatchHistory,
    fault: &GeneratedFault,
) -> Outcome {
    let started = Instant::now();
    let steps = steps(reach, history, fault);
    let result = match run_steps(location, self_test_options, fault, &steps) {
        Ok(Some(caught)) => {
            history.add(fault, caught.during.unwrap_or(caught.by));
            caught.into()
        }
        Ok(None) => FaultResult::Survived { checks: steps.len() },
        Err(error) => not_run(error),
    };
    Outcome { fault: fault.clone(), result, took: started.elapsed() }
}

/// Runs a fault with the one check that found it before.
pub fn run_proven(
    location: &Location,
    self_test_options: &SelfTestOptions,
    fault: &GeneratedFault,
    proven: &ProvenFault,
) -> Outcome {
    let started = Instant::now();
    let check = checks().into_iter().find(|check| check.id == proven.check);
    let step = check.map_or(Step::StreamRules, Step::Check);
    let result = match run_steps(location, self_test_options, fault, &[step]) {
        Ok(Some(caught)) => caught.into(),
        Ok(None) => FaultResult::Survived { checks: 1 },
        Err(error) => not_run(error),
    };
    Outcome { fault: fault.clone(), result, took: started.elapsed() }
}

/// An adapter that cannot be opened is found, too.
fn not_run(error: SuiteError) -> FaultResult {
    match error {
        SuiteError::Adapter(message) => {
            FaultResult::Caught { by: "start", during: None, got: message }
        }
        other => FaultResult::NotRun(describe_error(other)),
    }
}

/// The steps, the most promising first.
fn steps(reach: &Reach, history: &CatchHistory, fault: &GeneratedFault) -> Vec<Step> {
    let (place, chapter) = (place_group(&fault.name), chapter_group(fault.chapter));
    let mut steps: Vec<Step> = reach.checks(&fault.name).into_iter().map(Step::Check).collect();
    if reach.exercise_reaches(&fault.name) {
        steps.push(Step::StreamRules);
    }
    let key = |step: &Step| {
        let name = step.name();
        let duration = match step {
            Step::Check(check) => reach.duration(check.id),
            Step::StreamRules => Duration::from_secs(1),
        };
        let catches = (history.count(&place, name), history.count(&chapter, name));
        (std::cmp::Reverse(catches), duration)
    };
    steps.sort_by_cached_key(key);
    steps
}

/// A failure of a check, or a violated stream rule.
struct Catch {
    by: &'static str,
    during: Option<&'static str>,
    got: String,
}

impl From<Catch> for FaultResult {
    fn from(caught: Catch) -> Self {
        Self::Caught { by: caught.by, during: caught.during, got: caught.got }
    }
}

fn run_steps(
    location: &Location,
    self_test_options: &SelfTestOptions,
    fault: &GeneratedFault,
    steps: &[Step],
) -> Result<Option<Catch>, SuiteError> {
    let home = install(location, &fault.name, &fault.alterations)?;
    let suite = Arc::new(opened(location, &home, self_test_options, Tier::Brief)?);
    let mut rest = steps;
    let mut size = 1;
    while !rest.is_empty() {
        let (batch, later) = rest.split_at(size.min(rest.len()));
        if let Some(found) = run_batch(&suite, batch) {
            return Ok(Some(found));
        }
        rest = later;
        size *= 2;
    }
    Ok(None)
}

/// Installs the reference adapter with alterations.
pub(super) fn install(
    location: &Location,
    name: &str,
    alterations: &[Alteration],
) -> std::io::Result<SubjectFolder> {
    let home = location.install_reference(&name.replace('/', "-").replace(['[', ']'], "_"))?;
    let text = serde_json::to_vec(alterations)?;
    std::fs::write(home.path().join(ALTERATIONS_FILE), text)?;
    Ok(home)
}

fn run_batch(suite: &Arc<Suite>, batch: &[Step]) -> Option<Catch> {
    let mut wanted: Vec<Check> = Vec::new();
    for step in batch {
        match step {
            Step::Check(check) => wanted.push(*check),
            Step::StreamRules => wanted.extend(checks().into_iter().filter(is_rule)),
        }
    }
    let results = run_checks(suite, &wanted, &options(PARALLEL_CHECKS), &mut |_| {});
    let failed = results.iter().find(|result| is_catch(result) && !is_rule(&result.check));
    if let Some(result) = failed {
        let by = result.check.id;
        return Some(Catch { by, during: Some(by), got: describe(result) });
    }
    let during = match batch {
        [step] => Some(step.name()),
        _ => None,
    };
    checks().into_iter().filter(is_rule).find_map(|rule| {
        let failure = suite.violations.first(rule.id)?;
        Some(Catch { by: rule.id, during, got: shorten(&failure.got, 200) })
    })
}

fn is_catch(result: &CheckResult) -> bool {
    matches!(result.status, Status::Fail | Status::Untestable)
}

pub(super) fn describe(result: &CheckResult) -> String {
    match &result.finding {
        Some(Finding::Fail(failure)) => shorten(&failure.got, 200),
        Some(other) => other.reason().unwrap_or_default().to_owned(),
        None => String::new(),
    }
}
