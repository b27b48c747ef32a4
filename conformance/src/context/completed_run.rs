//! A completed run with everything that the adapter and the fake CLI recorded.

use crate::adapter_client::RunRecord;
use crate::fake_cli::Invocation;
use crate::outcome::Finding;
use crate::prepared_run::PreparedRun;

/// A completed run.
#[derive(Debug, Clone)]
pub struct CompletedRun {
    /// The run as it was prepared.
    pub prepared: PreparedRun,
    /// The events of the run.
    pub record: RunRecord,
    /// What the fake CLI recorded; `None` for adapters without an agent CLI.
    pub invocation: Option<Invocation>,
}

impl CompletedRun {
    /// Returns what the fake CLI recorded; a failure if it was not started.
    pub fn started(&self) -> Result<&Invocation, Finding> {
        self.invocation.as_ref().ok_or_else(|| {
            self.record.failure("the agent CLI is started", "it was not started", "run/start")
        })
    }
}
