//! What became of one subject: a cell per check, and what the suite has to complain about itself.

use std::collections::BTreeMap;
use std::time::Duration;

use super::subject::Subject;
use crate::cases;
use crate::judge::{CheckResult, Status};
use crate::verdict::Finding;

/// What a check said about a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// It passes.
    Pass,
    /// It fails, as it must.
    Caught,
    /// It fails, as it may.
    Also,
    /// It does something that it must not: the suite is wrong.
    Wrong,
    /// It does not apply, or something else comes first.
    NoVerdict,
}

/// What became of one subject. Checks without a cell were not made: they never come to the place
/// of its fault.
pub struct Outcome {
    /// The subject.
    pub subject: Subject,
    /// What each check said.
    pub cells: BTreeMap<&'static str, Cell>,
    /// What is wrong with the suite.
    pub complaints: Vec<String>,
    /// Checks that are worth a second look on a calm machine.
    pub doubts: Vec<&'static str>,
    /// How long it took.
    pub took: Duration,
}

impl Outcome {
    /// Reads the results of a judgement.
    pub fn of(subject: Subject, results: &[CheckResult], took: Duration) -> Self {
        let mut outcome = Self {
            subject,
            cells: BTreeMap::new(),
            complaints: Vec::new(),
            doubts: Vec::new(),
            took,
        };
        results.iter().for_each(|result| outcome.add(result));
        outcome.look_for_missing();
        outcome
    }

    /// One that could not be judged.
    pub fn unjudged(subject: Subject, reason: &str) -> Self {
        let mut outcome = Self::of(subject, &[], Duration::ZERO);
        outcome.doubts.clear();
        outcome.complaints = vec![format!("it cannot be judged: {reason}")];
        outcome
    }

    /// The checks that fail.
    pub fn caught_by(&self) -> Vec<&'static str> {
        let fails = |cell: &Cell| matches!(cell, Cell::Caught | Cell::Also | Cell::Wrong);
        self.cells.iter().filter(|(_, cell)| fails(cell)).map(|(id, _)| *id).collect()
    }

    /// Takes a second look at some checks in the place of the first one.
    pub fn replace(&mut self, again: &[CheckResult]) {
        for result in again {
            let id = result.check.id;
            self.complaints.retain(|complaint| !complaint.starts_with(id));
            self.doubts.retain(|doubt| *doubt != id);
            self.add(result);
        }
        self.look_for_missing();
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
            _ => Cell::NoVerdict,
        };
        self.cells.insert(id, cell);
        if cell == Cell::Wrong && result.status == Status::Fail {
            self.doubt(id, format!("{id} fails, which it must not: {}", told(result)));
        }
        if result.status == Status::SuiteError {
            self.complaints.push(format!("{id} is a suite error: {}", told(result)));
        }
        let lacks = lacking(result);
        if !lacks.is_empty() {
            self.complaints.push(format!("{id} fails without telling {}", lacks.join(", ")));
        }
    }

    fn look_for_missing(&mut self) {
        let known = cases::all();
        for id in self.subject.must_fail() {
            if !known.iter().any(|check| check.id == *id) {
                self.complaints.push(format!("{id} is no check"));
            } else if self.cells.get(id) != Some(&Cell::Caught) && !self.doubts.contains(id) {
                self.doubt(id, format!("{id} does not fail, which it must"));
            }
        }
    }

    fn doubt(&mut self, id: &'static str, complaint: String) {
        self.complaints.push(complaint);
        self.doubts.push(id);
    }
}

fn told(result: &CheckResult) -> String {
    match &result.finding {
        Some(Finding::Fail(failure)) => failure.got.clone(),
        Some(
            Finding::Skip(reason)
            | Finding::Blocked(reason)
            | Finding::Untestable(reason)
            | Finding::Suite(reason),
        ) => reason.clone(),
        None => String::new(),
    }
}

/// What the author of an adapter would miss in a failure.
pub(crate) fn lacking(result: &CheckResult) -> Vec<&'static str> {
    let Some(Finding::Fail(failure)) = &result.finding else { return Vec::new() };
    let parts = [
        ("what was sent", failure.sent.is_empty()),
        ("what was expected", failure.expected.is_empty()),
        ("what came", failure.got.is_empty()),
        ("the line of the transcript", failure.place.is_none()),
    ];
    parts.into_iter().filter(|(_, lacks)| *lacks).map(|(part, _)| part).collect()
}
