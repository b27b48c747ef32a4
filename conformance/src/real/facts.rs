//! What a judgement with the real agent CLI knows beyond its verdicts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::confine::Confinement;
use super::drift::{Drift, Recordings, Shapes};

/// What was played with which agent CLI.
#[derive(Debug, Clone)]
pub struct RealFacts {
    /// The agent CLI.
    pub cli: PathBuf,
    /// What could be reached.
    pub confinement: Confinement,
    /// What differs from what the pack knows.
    pub drift: Drift,
    /// What was seen in each scenario that was played.
    pub performances: BTreeMap<&'static str, Performance>,
}

/// What was seen in one scenario.
#[derive(Debug, Clone, Default)]
pub struct Performance {
    /// What the adapter said, run by run, in a few words.
    pub events: Vec<String>,
    /// What the agent CLI said that the adapter does not know, with how often.
    pub unmapped: BTreeMap<String, u64>,
    /// What the agent CLI's lines look like.
    pub shapes: Shapes,
    /// How often the model was asked.
    pub asked: usize,
    /// The flags that the adapter passed, where a relay saw them.
    pub flags: BTreeSet<String>,
    /// Everything that was said between suite and adapter.
    pub transcript: PathBuf,
}

impl RealFacts {
    /// For programs.
    pub fn to_json(&self) -> Value {
        let scenarios: serde_json::Map<String, Value> =
            self.performances.iter().map(|(name, it)| ((*name).to_owned(), seen(it))).collect();
        json!({
            "cli": self.cli,
            "network": self.confinement.as_str(),
            "drift": self.drift.to_json(),
            "scenarios": scenarios,
        })
    }
}

fn seen(performance: &Performance) -> Value {
    json!({
        "events": performance.events,
        "unmapped": performance.unmapped,
        "modelRequests": performance.asked,
        "transcript": performance.transcript,
    })
}

/// What was heard, by scenario.
pub fn heard(performances: &BTreeMap<&'static str, Performance>) -> Recordings {
    performances.iter().map(|(name, it)| ((*name).to_owned(), it.shapes.clone())).collect()
}

/// What the adapter did not know, over all scenarios.
pub fn unmapped(performances: &BTreeMap<&'static str, Performance>) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for (name, count) in performances.values().flat_map(|performance| &performance.unmapped) {
        *all.entry(name.clone()).or_default() += count;
    }
    all
}
