//! The rules that hold for every line a plugin ever says, whichever check made it speak.
//!
//! `Watch` sees every line of one plugin process; `stream` knows the rules of one run. What breaks
//! a rule is kept in [`Violations`] and reported under the rule's own id, so that the check that
//! happened to make the run is not blamed for it.

mod stream;
mod watch;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::evidence::complete;
use crate::verdict::Failure;

pub use watch::Watch;

/// How many violations of one rule are kept; the first says enough.
const KEPT: usize = 3;

/// The check a bench is at; clones share it, so that what a shared plugin says is put down to the
/// check that made it speak.
#[derive(Debug, Clone, Default)]
pub struct Label(Arc<Mutex<String>>);

impl Label {
    /// Turns to another check.
    pub fn set(&self, label: &str) {
        label.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The check.
    pub fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What broke a rule, by the rule's id; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Violations {
    rules: Arc<Mutex<BTreeMap<&'static str, Vec<Failure>>>>,
    missed_done: Arc<AtomicBool>,
    seen_event: Arc<AtomicBool>,
    seen_done: Arc<AtomicBool>,
}

/// The rules that only a run can keep or break.
const RUN_RULES: &[&str] = &["ORD-01", "ORD-02", "ORD-03", "ORD-09"];

impl Violations {
    /// Notes that a rule was broken.
    pub fn add(&self, rule: &'static str, failure: Failure) {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = rules.entry(rule).or_default();
        if kept.len() < KEPT {
            kept.push(complete(failure, None));
        }
    }

    /// Notes that a run got no `done`, so that waiting long for another one is no use.
    pub fn miss_done(&self) {
        self.missed_done.store(true, Ordering::Relaxed);
    }

    /// Whether a run got no `done`.
    pub fn has_missed_done(&self) -> bool {
        self.missed_done.load(Ordering::Relaxed)
    }

    /// Notes that an event came.
    pub fn see_event(&self) {
        self.seen_event.store(true, Ordering::Relaxed);
    }

    /// Notes that a `done` came.
    pub fn see_done(&self) {
        self.seen_done.store(true, Ordering::Relaxed);
    }

    /// Whether any run got its `done`, so that one that does not is special.
    pub fn has_seen_done(&self) -> bool {
        self.seen_done.load(Ordering::Relaxed)
    }

    /// Whether anything came that could have broken the rule.
    pub fn has_been_tried(&self, rule: &str) -> bool {
        !RUN_RULES.contains(&rule) || self.seen_event.load(Ordering::Relaxed)
    }

    /// The first violation of each rule that was broken.
    pub fn all(&self) -> Vec<(&'static str, Failure)> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.iter().filter_map(|(rule, kept)| Some((*rule, kept.first()?.clone()))).collect()
    }

    /// The first violation of a rule.
    pub fn first(&self, rule: &str) -> Option<Failure> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.get(rule)?.first().cloned()
    }
}
