//! The result of one subject: a cell per check, and the problems of the suite.

use std::collections::BTreeMap;
use std::time::Duration;

use super::subject::Subject;
use crate::check::{CheckResult, Status};
use crate::checks;
use crate::outcome::Finding;

/// The result of one check for one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// It passes.
    Pass,
    /// It fails, as expected.
    Caught,
    /// It fails, which is allowed.
    Also,
    /// It fails or passes unexpectedly: the suite is wrong.
    Wrong,
    /// It does not apply, or is blocked.
    NoResult,
}

/// The result of one subject. Checks without a cell did not run, because they never reach its fault.
pub struct Outcome {
    /// The subject.
    pub subject: Subject,
    /// The result per check.
    pub cells: BTreeMap<&'static str, Cell>,
    /// What is wrong with the suite.
    pub problems: Vec<String>,
    /// Checks to run again with longer limits.
    pub unexpected: Vec<&'static str>,
    /// How long it took.
    pub took: Duration,
}

impl Outcome {
    /// Evaluates the results.
    pub fn of(subject: Subject, results: &[CheckResult], took: Duration) -> Self {
        let mut outcome = Self {
            subject,
            cells: BTreeMap::new(),
            problems: Vec::new(),
            unexpected: Vec::new(),
            took,
        };
        results.iter().for_each(|result| outcome.add(result));
        outcome.add_missing_failures();
        outcome
    }

    /// A subject that could not run.
    pub fn not_run(subject: Subject, reason: &str) -> Self {
        let mut outcome = Self::of(subject, &[], Duration::ZERO);
        outcome.unexpected.clear();
        outcome.problems = vec![format!("could not be checked: {reason}")];
        outcome
    }

    /// The checks that fail.
    pub fn caught_by(&self) -> Vec<&'static str> {
        let fails = |cell: &Cell| matches!(cell, Cell::Caught | Cell::Also | Cell::Wrong);
        self.cells.iter().filter(|(_, cell)| fails(cell)).map(|(id, _)| *id).collect()
    }

    /// Replaces results by those of a recheck.
    pub fn replace(&mut self, again: &[CheckResult]) {
        for result in again {
            let id = result.check.id;
            self.problems.retain(|problem| !problem.starts_with(id));
            self.unexpected.retain(|add_unexpected| *add_unexpected != id);
            self.add(result);
        }
        self.add_missing_failures();
    }

    fn add(&mut self, result: &CheckResult) {
        let id = result.check.id;
        let must = self.subject.must_fail().contains(&id);
        let cell = match result.status {
            Status::Fail if must => Cell::Caught,
            Status::Fail if self.subject.may_fail(id) => Cell::Also,
            Status::Fail => Cell::Wrong,
            Status::SuiteError => Cell::Wrong,
            Status::Pass if must => Cell::Wrong,
            Status::Pass => Cell::Pass,
            _ => Cell::NoResult,
        };
        self.cells.insert(id, cell);
        if cell == Cell::Wrong && result.status == Status::Fail {
            self.add_unexpected(id, format!("{id} fails, but must not: {}", describe(result)));
        }
        if result.status == Status::SuiteError {
            self.problems.push(format!("{id} is a suite error: {}", describe(result)));
        }
        let lacks = missing_parts(result);
        if !lacks.is_empty() {
            self.problems.push(format!("{id} fails without {}", lacks.join(", ")));
        }
    }

    fn add_missing_failures(&mut self) {
        let known = checks::all();
        for id in self.subject.must_fail() {
            if !known.iter().any(|check| check.id == *id) {
                self.problems.push(format!("{id} is not a check"));
            } else if self.cells.get(id) != Some(&Cell::Caught) && !self.unexpected.contains(id) {
                self.add_unexpected(id, format!("{id} does not fail, but must"));
            }
        }
    }

    fn add_unexpected(&mut self, id: &'static str, problem: String) {
        self.problems.push(problem);
        self.unexpected.push(id);
    }
}

fn describe(result: &CheckResult) -> String {
    match &result.finding {
        Some(Finding::Fail(failure)) => failure.got.clone(),
        Some(other) => other.reason().unwrap_or_default().to_owned(),
        None => String::new(),
    }
}

/// The parts that a failure lacks for the author of an adapter.
pub(crate) fn missing_parts(result: &CheckResult) -> Vec<&'static str> {
    let Some(Finding::Fail(failure)) = &result.finding else { return Vec::new() };
    let parts = [
        ("what was sent", failure.sent.is_empty()),
        ("what was expected", failure.expected.is_empty()),
        ("what was received", failure.got.is_empty()),
        ("the line of the transcript", failure.location.is_none()),
    ];
    parts.into_iter().filter(|(_, lacks)| *lacks).map(|(part, _)| part).collect()
}
