//! The pack's `[real]` table: how the real agent CLI uses the fake model, and what each scenario
//! expects.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::scenarios::REAL_SCENARIO_NAMES;
use crate::fake_cli::pattern::Bindings;

/// The whole table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RealSettings {
    /// The pinned package that `make real` installs: `NAME@VERSION` of npm, or
    /// `pypi:NAME==VERSION`; further packages follow after a space (`NAME@1.2.3 node@24.21.0`).
    pub package: Option<String>,
    /// Variables of the adapter; values may use `{{url}}` and `{{secret}}`.
    pub env: BTreeMap<String, String>,
    /// Variables of every run, for those that the adapter does not pass on.
    pub run_env: BTreeMap<String, String>,
    /// Files below the home folder: path there = their text with placeholders.
    pub home: BTreeMap<String, String>,
    /// The arguments with which the agent CLI prints its version.
    pub version_args: Option<Vec<String>>,
    /// The argument lists with which it prints its flags; one list unless subcommands have their
    /// own.
    pub help_args: Option<Vec<Vec<String>>>,
    /// Flags that work but are missing from the help.
    pub hidden_flags: Vec<String>,
    /// The folder with the recorded output of the tested version (`NAME.stdout.jsonl`) and its
    /// flags (`flags.txt`), relative to the pack.
    pub recordings: Option<String>,
    /// Additional parameters and expectations of scenarios.
    pub scenario: BTreeMap<String, RealExpectation>,
    /// Scenarios that this agent CLI does not support, each with the reason.
    pub not_applicable: BTreeMap<String, String>,
    /// Scenarios and rules that are known to fail, each with the reason; an entry that passes is a
    /// failure.
    pub known_failures: BTreeMap<String, String>,
    /// How it is started as an agent of the Agent Client Protocol; absent if it is none.
    pub acp: Option<RealAcpSettings>,
}

/// How the real agent CLI is started as an agent of the Agent Client Protocol. Variables and files
/// are added to those of the `[real]` table and may also use `{{work}}`, the folder that contains the
/// working folders of all sessions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RealAcpSettings {
    /// The arguments.
    pub args: Vec<String>,
    /// Additional variables.
    pub env: BTreeMap<String, String>,
    /// Additional files below the home folder: path there = their text.
    pub home: BTreeMap<String, String>,
    /// The method of `authenticate`, if it is called.
    pub auth_method: Option<String>,
}

impl RealSettings {
    /// The arguments with which the agent CLI prints its version.
    pub fn version_arguments(&self) -> Vec<String> {
        self.version_args.clone().unwrap_or_else(|| vec!["--version".to_owned()])
    }

    /// Returns the argument lists with which the agent CLI prints its flags.
    pub fn help_arguments(&self) -> Vec<Vec<String>> {
        self.help_args.clone().unwrap_or_else(|| vec![vec!["--help".to_owned()]])
    }

    /// Returns the names that are not scenarios.
    pub fn unknown_scenarios(&self) -> impl Iterator<Item = &String> {
        let names = self.scenario.keys().chain(self.not_applicable.keys());
        names.filter(|name| !REAL_SCENARIO_NAMES.contains(&name.as_str()))
    }
}

/// Additional parameters and expectations of one scenario.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RealExpectation {
    /// Additional parameters of `run/start`.
    pub params: toml::Table,
    /// The error kinds that `done` may have instead of the default ones.
    pub error_kinds: Vec<String>,
    /// The timeout of a run in seconds; 60 by default.
    pub limit_s: Option<u64>,
}

/// The placeholders that the `[real]` table may use.
pub(super) const REAL_PLACEHOLDERS: [&str; 2] = ["url", "secret"];

/// The placeholders that the `[real.acp]` table may use.
pub(super) const ACP_PLACEHOLDERS: [&str; 3] = ["url", "secret", "work"];

/// Returns the values of the placeholders of the `[real]` table.
pub fn real_placeholders(url: &str, secret: &str) -> Bindings {
    let [url_name, secret_name] = REAL_PLACEHOLDERS;
    [(url_name, url), (secret_name, secret)]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect()
}
