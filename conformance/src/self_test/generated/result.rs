//! The result of one generated fault.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::generated_faults::{Alteration, Change, GeneratedFault, Place, Verdict};

/// What happened to a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultResult {
    /// A check failed.
    Caught {
        /// The check.
        by: &'static str,
        /// What it received.
        got: String,
    },
    /// Every check that reaches it passes.
    Survived {
        /// How many checks ran.
        checks: usize,
    },
    /// No check makes the adapter send or read what it alters.
    NotReached,
    /// It alters one value of an enumeration, and no check produces this value.
    ValueNeverOccurs,
    /// The specification allows it.
    Legal(&'static str),
    /// The suite could not run it.
    NotRun(String),
}

/// A fault with its result.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The fault.
    pub fault: GeneratedFault,
    /// What happened.
    pub result: FaultResult,
    /// How long it took.
    pub took: Duration,
}

impl Outcome {
    /// Whether it counts: the specification forbids it, and its value occurs.
    pub fn counts(&self) -> bool {
        !matches!(self.result, FaultResult::Legal(_) | FaultResult::ValueNeverOccurs)
    }

    /// Whether a check found it.
    pub fn is_caught(&self) -> bool {
        matches!(self.result, FaultResult::Caught { .. })
    }
}

/// Separates the faults to run from those whose result is known without running them.
pub fn evaluate_unreached(
    faults: Vec<GeneratedFault>,
    is_reached: impl Fn(&str) -> bool,
) -> (Vec<GeneratedFault>, Vec<Outcome>) {
    let occurring: BTreeSet<String> = faults
        .iter()
        .filter(|fault| is_reached(&fault.name))
        .flat_map(|fault| &fault.alterations)
        .map(|alteration| alteration.place.name())
        .collect();
    let (mut reached, mut known) = (Vec::new(), Vec::new());
    for fault in faults {
        let result = match fault.verdict {
            Verdict::Legal(reason) => FaultResult::Legal(reason),
            Verdict::Forbidden if is_reached(&fault.name) => {
                reached.push(fault);
                continue;
            }
            Verdict::Forbidden if is_about_value(&fault.alterations, &occurring) => {
                FaultResult::ValueNeverOccurs
            }
            Verdict::Forbidden => FaultResult::NotReached,
        };
        known.push(Outcome { fault, result, took: Duration::ZERO });
    }
    (reached, known)
}

/// Whether the fault is about one value of a field that occurs, or one kind of error that never does.
fn is_about_value(alterations: &[Alteration], occurring: &BTreeSet<String>) -> bool {
    alterations.iter().all(|alteration| {
        let occurs = occurring.contains(&alteration.place.name());
        match (&alteration.place, &alteration.change) {
            (Place::Error(_), _) => !occurs,
            (_, Change::Replace { .. }) => occurs,
            _ => false,
        }
    })
}
