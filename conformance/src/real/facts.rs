//! What a run with the real agent CLI reports besides the results of its checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::confine::Confinement;
use super::drift::{Drift, Recordings, Shapes};

/// The agent CLI, its drift, and a record per scenario.
#[derive(Debug, Clone)]
pub struct RealFacts {
    /// The agent CLI.
    pub cli: PathBuf,
    /// The network isolation.
    pub confinement: Confinement,
    /// The differences from the recordings.
    pub drift: Drift,
    /// The record of each scenario that ran.
    pub scenario_records: BTreeMap<&'static str, ScenarioRecord>,
}

/// The record of one scenario.
#[derive(Debug, Clone, Default)]
pub struct ScenarioRecord {
    /// A summary of the events of each run.
    pub events: Vec<String>,
    /// Messages that the adapter did not map, with their count.
    pub unmapped: BTreeMap<String, u64>,
    /// The shapes of the agent CLI's lines.
    pub shapes: Shapes,
    /// The number of requests to the model.
    pub model_requests: usize,
    /// The flags that the adapter passed, if a relay recorded them.
    pub flags: BTreeSet<String>,
    /// The transcript of suite and adapter.
    pub transcript: PathBuf,
}

impl RealFacts {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        let scenarios: serde_json::Map<String, Value> = self
            .scenario_records
            .iter()
            .map(|(name, it)| ((*name).to_owned(), record_json(it)))
            .collect();
        json!({
            "cli": self.cli,
            "network": self.confinement.as_str(),
            "drift": self.drift.to_json(),
            "scenarios": scenarios,
        })
    }
}

fn record_json(scenario_record: &ScenarioRecord) -> Value {
    json!({
        "events": scenario_record.events,
        "unmapped": scenario_record.unmapped,
        "modelRequests": scenario_record.model_requests,
        "transcript": scenario_record.transcript,
    })
}

/// The output of the CLI, by scenario.
pub fn outputs_by_scenario(
    scenario_records: &BTreeMap<&'static str, ScenarioRecord>,
) -> Recordings {
    scenario_records.iter().map(|(name, it)| ((*name).to_owned(), it.shapes.clone())).collect()
}

/// Unmapped messages of all scenarios.
pub fn unmapped(
    scenario_records: &BTreeMap<&'static str, ScenarioRecord>,
) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for (name, count) in
        scenario_records.values().flat_map(|scenario_record| &scenario_record.unmapped)
    {
        *all.entry(name.clone()).or_default() += count;
    }
    all
}
