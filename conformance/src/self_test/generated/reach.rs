//! Which checks reach which generated fault, and how long each check takes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::super::fault_coverage::FaultCoverage;
use super::super::run_subject::{SelfTestOptions, checks, is_rule, opened, options, pop};
use super::super::subject::Location;
use crate::check::{Check, Status, Tier};
use crate::generated_faults::REACHED_FOLDER;
use crate::runner::run_checks;
use crate::suite::SuiteError;

/// What the reference adapter reaches.
pub struct Reach {
    coverage: FaultCoverage,
    durations: BTreeMap<&'static str, Duration>,
    /// The checks that the reference adapter does not pass although its boundary only records.
    pub failures: Vec<&'static str>,
}

impl Reach {
    /// The active checks that reach a fault.
    pub fn checks(&self, fault: &str) -> Vec<Check> {
        let reaches = |check: &Check| !is_rule(check) && self.coverage.covers(fault, check.id);
        checks().into_iter().filter(reaches).collect()
    }

    /// Whether the runs for the stream rules reach a fault.
    pub fn exercise_reaches(&self, fault: &str) -> bool {
        self.coverage.exercise_covers(fault)
    }

    /// How long the reference adapter takes for a check.
    pub fn duration(&self, check: &str) -> Duration {
        self.durations.get(check).copied().unwrap_or_default()
    }
}

/// Runs the reference adapter with each check alone and reads which faults it reached.
///
/// # Errors
/// When the suite cannot be opened or a record cannot be read.
pub fn record_reach(
    location: &Location,
    self_test_options: &SelfTestOptions,
    jobs: usize,
) -> Result<Reach, SuiteError> {
    let home = location.install_reference("generated-reach")?;
    let records = home.path().join(REACHED_FOLDER);
    std::fs::create_dir_all(&records)?;
    let suite = Arc::new(opened(location, &home, self_test_options, Tier::Brief)?);
    let (rules, active): (Vec<Check>, Vec<Check>) = checks().into_iter().partition(is_rule);
    let alone = active.into_iter().map(|check| vec![check]);
    let queue: Mutex<VecDeque<Vec<Check>>> = Mutex::new([rules].into_iter().chain(alone).collect());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(next) = pop(&queue) {
                    let done = run_checks(&suite, &next, &options(1), &mut |_| {});
                    results.lock().unwrap_or_else(PoisonError::into_inner).extend(done);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let failed = results.iter().filter(|result| result.status == Status::Fail);
    Ok(Reach {
        coverage: FaultCoverage::read(&records, &home.work())?,
        failures: failed.map(|result| result.check.id).collect(),
        durations: results.iter().map(|result| (result.check.id, result.took)).collect(),
    })
}
