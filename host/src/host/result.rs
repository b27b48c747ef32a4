//! Waits for the end of a run and returns its result. `run::result` composes it.

use std::time::{Duration, Instant};

use od_protocol::ErrorKind;
use od_protocol::api::RunResult;

use super::Host;
use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::{RunRecord, store};
use crate::run::{recover, result};
use crate::usage;

/// The record of a run of another process is polled at these intervals: the longer the wait, the less often.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(50);
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(1);

impl Host {
    /// The result of a run of this or another process. Waits for its end, at most for this time; `None` means without a
    /// limit.
    ///
    /// # Errors
    /// `run_unknown`, `timeout` when the run has not ended by then, or when its journal cannot be read.
    pub async fn result(
        &self,
        run_id: &str,
        wait: Option<Duration>,
    ) -> Result<RunResult, HostError> {
        let record = self.end_of(&store::find(self.home(), run_id)?, wait).await?;
        self.result_of(record).await
    }

    /// Waits for the end of the run with exactly this id.
    pub(crate) async fn end_of(
        &self,
        run_id: &str,
        wait: Option<Duration>,
    ) -> Result<RunRecord, HostError> {
        let begin = Instant::now();
        if let Some(run) = self.live_run(run_id) {
            match wait {
                None => drop(run.wait().await),
                // The record decides below whether the run has ended.
                Some(limit) => drop(tokio::time::timeout(limit, run.wait()).await),
            }
            let record = run.record();
            return if record.status.is_alive() { Err(late(run_id)) } else { Ok(record) };
        }
        let folder = RunFolder::of(self.home(), run_id);
        loop {
            let record = recover::settle_async(&folder).await?;
            if !record.status.is_alive() {
                return Ok(record);
            }
            let waited = begin.elapsed();
            let left = wait.map_or(Duration::MAX, |wait| wait.saturating_sub(waited));
            if left.is_zero() {
                return Err(late(run_id));
            }
            let pause = (waited / 20).clamp(MIN_POLL_INTERVAL, MAX_POLL_INTERVAL);
            tokio::time::sleep(pause.min(left)).await;
        }
    }

    /// The result of a run that has ended.
    pub(crate) async fn result_of(&self, record: RunRecord) -> Result<RunResult, HostError> {
        let mut reader = self.events_of(&record.run_id, 0)?;
        // A journal may be long, and reading it blocks the thread.
        let home = self.home().clone();
        let composing = tokio::task::spawn_blocking(move || {
            result::compose(&record, &mut reader, &usage::prior_usage(&home, &record))
        });
        composing.await.unwrap_or_else(|error| Err(HostError::panicked("read a result", &error)))
    }
}

fn late(run_id: &str) -> HostError {
    let text = format!("run {run_id} has not ended yet");
    HostError::protocol(ErrorKind::Timeout, text)
        .with_hint("try again, or follow it: od-host attach RUN, runs/attach")
        .with_which("wait")
}
