//! `usage/*`: the usage of runs.

use od_protocol::api::{SummarizeUsageParams, UsageSummary};

use super::Service;
use crate::error::HostError;

impl Service {
    /// `usage/summary`.
    ///
    /// # Errors
    /// When the period ends before it starts, or the ledger cannot be read.
    pub async fn summarize_usage(
        &self,
        params: SummarizeUsageParams,
    ) -> Result<UsageSummary, HostError> {
        // A run whose `done` a client has seen must be counted, so wait until its usage is recorded.
        for run in self.host().live_runs().iter().filter(|run| run.has_done_event()) {
            run.wait_for_usage().await;
        }
        // Reading a long ledger must not block runs and other calls.
        let host = self.host().clone();
        let summary = tokio::task::spawn_blocking(move || host.usage(&params));
        summary.await.unwrap_or_else(|error| Err(HostError::panicked("summarize usage", &error)))
    }
}
