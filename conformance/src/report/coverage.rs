//! What a run of the suite evaluated: its level, and what it left out.

use std::collections::BTreeSet;

use crate::check::{CheckResult, Status};
use crate::suite::Suite;

/// What the checks that were skipped would have evaluated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Only some checks were selected.
    pub is_partial: bool,
    /// Capabilities that the adapter does not declare.
    pub not_declared: Vec<String>,
    /// Scenarios that the pack lacks, and checks that could not run on this system.
    pub not_evaluated: Vec<String>,
}

impl Coverage {
    /// Collects what was skipped. Checks that cannot apply, such as those of the agent CLI for an
    /// adapter without one, are left out.
    pub fn of(suite: &Suite, results: &[CheckResult], is_partial: bool) -> Self {
        let mut not_declared = BTreeSet::new();
        let mut not_evaluated = BTreeSet::new();
        for result in results.iter().filter(|result| result.status == Status::Skip) {
            let gate = result.check.gate;
            let undeclared = gate.capability.filter(|capability| !suite.declares(capability));
            let absent = gate.scenario.filter(|scenario| !suite.has_scenario(scenario));
            match (undeclared, absent) {
                (Some(capability), _) => {
                    not_declared.insert(capability.to_owned());
                }
                (None, _) if gate.cli && !suite.has_cli() => {}
                (None, Some(scenario)) => {
                    not_evaluated.insert(scenario.to_owned());
                }
                (None, None) => {
                    not_evaluated.insert(result.check.id.to_owned());
                }
            }
        }
        Self {
            is_partial,
            not_declared: not_declared.into_iter().collect(),
            not_evaluated: not_evaluated.into_iter().collect(),
        }
    }

    /// Returns the lines that explain the level.
    pub fn lines(&self) -> Vec<String> {
        let lists = [("not evaluated", &self.not_evaluated), ("not declared", &self.not_declared)];
        let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
        lists.map(|(what, names)| format!("{what}: {}", names.join(", "))).collect()
    }
}
