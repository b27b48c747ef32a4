//! The environment in which an adapter is started for a scenario.

use std::collections::BTreeMap;

use crate::fake_cli::Probe;

/// Home, environment and files with which an adapter is started.
#[derive(Debug, Clone, Default)]
pub struct LaunchEnvironment {
    /// Whether the scenario has its own environment, so that the shared adapter process cannot run
    /// it.
    pub is_own: bool,
    /// The answers of the fake CLI to `--version` and similar arguments.
    pub probes: Vec<Probe>,
    /// The variables of the login.
    pub env: BTreeMap<String, String>,
    /// Files below the home folder.
    pub home: BTreeMap<String, String>,
    /// Files next to the fake CLI.
    pub files: BTreeMap<String, String>,
}
