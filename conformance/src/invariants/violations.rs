//! The violations of invariants.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::outcome::{Failure, complete};

/// How many violations of one rule are kept.
const MAX_KEPT_VIOLATIONS: usize = 3;

/// The violations by rule id; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Violations {
    rules: Arc<Mutex<BTreeMap<&'static str, Vec<Failure>>>>,
    missing_done_seen: Arc<AtomicBool>,
    exercised: Arc<Mutex<BTreeSet<&'static str>>>,
    seen_done: Arc<AtomicBool>,
}

/// The rules of an adapter's lines, which also hold without any line.
const LINE_RULES: &[&str] = &["ENC-05", "SCH-01", "WIR-01", "WIR-02", "ERR-10", "SEC-01", "SEC-02"];

/// The rules of an adapter's runs, which need an event.
const RUN_RULES: &[&str] = &[
    "ORD-01", "ORD-02", "ORD-03", "ORD-09", "ORD-10", "MSG-01", "TIM-01", "TIM-02", "USE-01",
    "DON-01", "DON-02",
];

impl Violations {
    /// Creates an empty list for an adapter.
    pub fn of_adapter() -> Self {
        let violations = Self::default();
        LINE_RULES.iter().for_each(|rule| violations.mark_exercised(rule));
        violations
    }

    /// Records that an event of an adapter arrived.
    pub fn record_event(&self) {
        RUN_RULES.iter().for_each(|rule| self.mark_exercised(rule));
    }

    /// Adds a violation.
    pub fn add(&self, rule: &'static str, failure: Failure) {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = rules.entry(rule).or_default();
        if kept.len() < MAX_KEPT_VIOLATIONS {
            kept.push(complete(failure, None));
        }
    }

    /// Records that a run had no `done`, so that a long wait for another one is pointless.
    pub fn record_missing_done(&self) {
        self.missing_done_seen.store(true, Ordering::Relaxed);
    }

    /// Whether a run had no `done`.
    pub fn has_missing_done(&self) -> bool {
        self.missing_done_seen.load(Ordering::Relaxed)
    }

    /// Records that a message could have violated the rule.
    pub fn mark_exercised(&self, rule: &'static str) {
        self.exercised.lock().unwrap_or_else(PoisonError::into_inner).insert(rule);
    }

    /// Records that a `done` arrived.
    pub fn record_done(&self) {
        self.seen_done.store(true, Ordering::Relaxed);
    }

    /// Whether any run had a `done`, so that a missing one is an exception.
    pub fn has_seen_done(&self) -> bool {
        self.seen_done.load(Ordering::Relaxed)
    }

    /// Whether any message could have violated the rule.
    pub fn was_exercised(&self, rule: &str) -> bool {
        self.exercised.lock().unwrap_or_else(PoisonError::into_inner).contains(rule)
    }

    /// Returns the first violation of each rule.
    pub fn all(&self) -> Vec<(&'static str, Failure)> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.iter().filter_map(|(rule, kept)| Some((*rule, kept.first()?.clone()))).collect()
    }

    /// Returns the first violation of a rule.
    pub fn first(&self, rule: &str) -> Option<Failure> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.get(rule)?.first().cloned()
    }
}
