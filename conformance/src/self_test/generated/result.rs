//! The result of one generated fault.

use std::collections::HashSet;
use std::time::Duration;

use crate::generated_faults::{Change, GeneratedFault, Place, Verdict};

/// What happened to a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultResult {
    /// A check failed.
    Caught {
        /// The check or the stream rule.
        by: &'static str,
        /// The check that ran when it was found, if it is certain.
        during: Option<&'static str>,
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
    /// It alters one value of an enumeration, a second value or an optional field, which the
    /// reference adapter never sends.
    NeverOccurs,
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
    /// Whether it counts: the specification forbids it, and what it alters occurs.
    pub fn counts(&self) -> bool {
        !matches!(self.result, FaultResult::Legal(_) | FaultResult::NeverOccurs)
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
    let occurring = Occurring::of(faults.iter().filter(|fault| is_reached(&fault.name)));
    let (mut reached, mut known) = (Vec::new(), Vec::new());
    for fault in faults {
        let result = match fault.verdict {
            Verdict::Legal(reason) => FaultResult::Legal(reason),
            Verdict::Forbidden if is_reached(&fault.name) => {
                reached.push(fault);
                continue;
            }
            Verdict::Forbidden if occurring.lacks(&fault) => FaultResult::NeverOccurs,
            Verdict::Forbidden => FaultResult::NotReached,
        };
        known.push(Outcome { fault, result, took: Duration::ZERO });
    }
    (reached, known)
}

/// What the reference adapter sends and reads.
struct Occurring {
    places: HashSet<Place>,
    fields: HashSet<(Place, Vec<String>)>,
}

impl Occurring {
    fn of<'a>(reached: impl Iterator<Item = &'a GeneratedFault>) -> Self {
        let (mut places, mut fields) = (HashSet::new(), HashSet::new());
        for alteration in reached.flat_map(|fault| &fault.alterations) {
            places.insert(alteration.place.clone());
            fields.insert((alteration.place.clone(), alteration.path.clone()));
        }
        Self { places, fields }
    }

    /// Whether the message occurs, but never with what the fault alters; or whether the fault is
    /// about a kind of error that never occurs.
    fn lacks(&self, fault: &GeneratedFault) -> bool {
        fault.alterations.iter().all(|alteration| {
            let has_place = self.places.contains(&alteration.place);
            let has_field =
                self.fields.contains(&(alteration.place.clone(), alteration.path.clone()));
            match (&alteration.place, &alteration.change) {
                (Place::Error(_), _) if !has_place => true,
                (_, Change::Replace { .. } | Change::KeepFirst) => has_place,
                (_, Change::Drop { default: Some(_) }) => has_place,
                (Place::Request(_), _) => false,
                _ => has_place && fault.is_optional && !has_field,
            }
        })
    }
}
