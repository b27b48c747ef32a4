//! The pack's `[real]` table as it is written: how the real agent CLI is pointed at the fake model
//! and what each scenario must show.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::scenarios::REAL_SCENARIOS;

/// The whole table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RealSettings {
    /// The pinned package that `make real` installs: `NAME@VERSION` of npm, or
    /// `pypi:NAME==VERSION`; what else it needs follows after a space (`NAME@1.2.3 node@24.21.0`).
    pub package: Option<String>,
    /// Variables of the adapter; values may use `{{url}}` and `{{secret}}`.
    pub env: BTreeMap<String, String>,
    /// Variables that every run brings along, for what the adapter does not hand on by itself.
    pub run_env: BTreeMap<String, String>,
    /// Files below the home folder: path there = their text, placeholders filled.
    pub home: BTreeMap<String, String>,
    /// The arguments that make the agent CLI print its version.
    pub version_args: Option<Vec<String>>,
    /// The argument lists that make it print its flags; one list unless commands have their own.
    pub help_args: Option<Vec<Vec<String>>>,
    /// Flags that work although no help shows them.
    pub hidden_flags: Vec<String>,
    /// The folder with what the tested version printed (`NAME.stdout.jsonl`) and with its flags
    /// (`flags.txt`), seen from the pack.
    pub recordings: Option<String>,
    /// What a scenario needs and must show beyond the usual.
    pub scenario: BTreeMap<String, RealExpectation>,
    /// Scenarios that this agent CLI cannot show, each with the reason.
    pub not_applicable: BTreeMap<String, String>,
    /// Scenarios and rules that are known to fail, each with the reason; one that passes is red.
    pub known_failures: BTreeMap<String, String>,
}

impl RealSettings {
    /// The arguments that make the agent CLI print its version.
    pub fn version_arguments(&self) -> Vec<String> {
        self.version_args.clone().unwrap_or_else(|| vec!["--version".to_owned()])
    }

    /// The argument lists that make the agent CLI print its flags.
    pub fn help_arguments(&self) -> Vec<Vec<String>> {
        self.help_args.clone().unwrap_or_else(|| vec![vec!["--help".to_owned()]])
    }

    /// The names in it that are no scenarios.
    pub fn unknown_scenarios(&self) -> impl Iterator<Item = &String> {
        let names = self.scenario.keys().chain(self.not_applicable.keys());
        names.filter(|name| !REAL_SCENARIOS.iter().any(|known| known.name == name.as_str()))
    }
}

/// What one scenario needs and must show.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RealExpectation {
    /// More parameters of `run/start`.
    pub params: toml::Table,
    /// The kinds of error that `done` may name instead of the suite's own.
    pub error_kinds: Vec<String>,
    /// How many seconds a run may take; 60 unless told.
    pub limit_s: Option<u64>,
}
