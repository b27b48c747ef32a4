//! `usage/*`: what runs have used.

use od_protocol::ErrorKind;
use od_protocol::api::{SummarizeUsageParams, UsageSummary};

use super::Service;
use crate::error::HostError;

impl Service {
    /// `usage/summary`.
    ///
    /// # Errors
    /// When the period ends before it begins, or the ledger cannot be read.
    pub async fn summarize_usage(
        &self,
        params: SummarizeUsageParams,
    ) -> Result<UsageSummary, HostError> {
        // What has said `done` is counted; each is entered at once then, whatever its adapter does.
        for run in self.host().live_runs().iter().filter(|run| run.has_said_done()) {
            run.entered().await;
        }
        // A long ledger takes a while to read; runs and other calls do not wait for it.
        let host = self.host().clone();
        let summary = tokio::task::spawn_blocking(move || host.usage(&params));
        summary.await.unwrap_or_else(|error| {
            Err(HostError::protocol(ErrorKind::Internal, format!("cannot add up: {error}")))
        })
    }
}
