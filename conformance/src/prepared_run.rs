//! A scenario with random values, ready to be started.

use std::time::Duration;

use od_protocol::adapter::StartRunParams;

use crate::fake_cli::{Script, Step};
use crate::pack::Values;

/// The timeout from `run/start` to `done`, unless a check sets another one.
pub const RUN_TIMEOUT: Duration = Duration::from_secs(10);

/// A scenario with random values, ready to be started. Checks may change its script or its request
/// first.
#[derive(Debug, Clone)]
pub struct PreparedRun {
    /// The scenario.
    pub scenario: String,
    /// The random values, from which checks derive the expected events.
    pub values: Values,
    /// What the fake CLI does.
    pub script: Script,
    /// The parameters of `run/start`. `cwd` exists and is empty.
    pub request: StartRunParams,
    /// Whether it needs a separate adapter process (see
    /// [`LaunchEnvironment::is_own`](crate::pack::LaunchEnvironment::is_own)).
    pub needs_own_process: bool,
}

impl PreparedRun {
    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.request.run_id
    }

    /// Whether a line of its script contains this text.
    pub fn script_prints(&self, text: &str) -> bool {
        let prints = |step: &Step| match step {
            Step::Out { text: line, .. } | Step::Err { text: line } => line.contains(text),
            Step::Reply { body, .. } => body.contains(text),
            _ => false,
        };
        let handled = self.script.handlers.iter().flat_map(|handler| &handler.steps);
        self.script.steps.iter().chain(handled).any(prints)
    }
}
