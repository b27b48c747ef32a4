//! A play: a scenario with fresh values, ready to be performed; and a performance: what came of it.

use std::collections::BTreeMap;
use std::time::Duration;

use od_protocol::StartRunParams;

use crate::pack::Values;
use crate::plugin::RunRecord;
use crate::stand_in::{Invocation, Probe, Script};

/// How long a play may take from `run/start` to `done`, unless a check says otherwise.
pub const PLAY_LIMIT: Duration = Duration::from_secs(10);

/// A scenario with fresh values, ready to be performed. Checks change its script or its request
/// before that.
#[derive(Debug, Clone)]
pub struct Play {
    /// The scenario.
    pub scenario: String,
    /// What was filled in, so what is expected.
    pub values: Values,
    /// What the stand-in does.
    pub script: Script,
    /// What is asked of the adapter. `cwd` exists and is empty.
    pub request: StartRunParams,
    /// Whether it needs a plugin process of its own (see [`Setting::is_own`]).
    pub needs_own_plugin: bool,
}

impl Play {
    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.request.run_id
    }
}

/// Home, environment and files in which a plugin is started.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// The scenario brings its own, so the shared plugin process cannot perform it.
    pub is_own: bool,
    /// What the stand-in answers to `--version` and the like.
    pub probes: Vec<Probe>,
    /// Variables of the login.
    pub env: BTreeMap<String, String>,
    /// Files below the home folder.
    pub home: BTreeMap<String, String>,
    /// Files beside the stand-in.
    pub files: BTreeMap<String, String>,
}

/// What came of a play.
#[derive(Debug, Clone)]
pub struct Performance {
    /// The play.
    pub play: Play,
    /// What the adapter said.
    pub record: RunRecord,
    /// What the stand-in saw of it; `None` for adapters without an agent CLI.
    pub invocation: Option<Invocation>,
}
