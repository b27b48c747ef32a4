//! What came of a run. How it is composed lives in `run::result`.

use std::time::{Duration, Instant};

use od_protocol::ErrorKind;
use od_protocol::api::RunResult;

use super::Host;
use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::{RunRecord, store};
use crate::run::{recover, result};
use crate::usage;

/// How often a run of another process is looked at: the longer it has been waited for, the less often.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl Host {
    /// What came of a run, of this process or another; waits for its end for at most so long, `None` as
    /// long as it takes.
    ///
    /// # Errors
    /// `run_unknown`, `timeout` when it is not over by then, or when its journal cannot be read.
    pub async fn result(
        &self,
        run_id: &str,
        wait: Option<Duration>,
    ) -> Result<RunResult, HostError> {
        let record = self.end_of(&store::find(self.home(), run_id)?, wait).await?;
        self.result_of(record).await
    }

    /// Waits for the end of a run, by its whole id. One that waits costs a timer and nothing else.
    pub(crate) async fn end_of(
        &self,
        run_id: &str,
        wait: Option<Duration>,
    ) -> Result<RunRecord, HostError> {
        let begin = Instant::now();
        if let Some(run) = self.live_run(run_id) {
            match wait {
                None => drop(run.wait().await),
                // In time or not: a run that has said `done` is over.
                Some(limit) => drop(tokio::time::timeout(limit, run.wait()).await),
            }
            let record = run.record();
            return if record.status.is_alive() { Err(late(run_id)) } else { Ok(record) };
        }
        let folder = RunFolder::of(self.home(), run_id);
        loop {
            let record = recover::settle_beside(&folder).await?;
            if !record.status.is_alive() {
                return Ok(record);
            }
            let waited = begin.elapsed();
            let left = wait.map_or(Duration::MAX, |wait| wait.saturating_sub(waited));
            if left.is_zero() {
                return Err(late(run_id));
            }
            let pause = (waited / 20).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
            tokio::time::sleep(pause.min(left)).await;
        }
    }

    /// What came of a run that is over.
    pub(crate) async fn result_of(&self, record: RunRecord) -> Result<RunResult, HostError> {
        let mut reader = self.events_of(&record.run_id, 0)?;
        // A journal may be long, and reading it does not wait for anything.
        let home = self.home().clone();
        let composing = tokio::task::spawn_blocking(move || {
            result::compose(&record, &mut reader, &usage::past(&home, &record))
        });
        composing.await.unwrap_or_else(|error| {
            Err(HostError::protocol(ErrorKind::Internal, error.to_string()))
        })
    }
}

fn late(run_id: &str) -> HostError {
    let text = format!("the run {run_id} is still going on");
    HostError::protocol(ErrorKind::Timeout, text)
        .with_hint("ask again, or watch it: od-host attach RUN, runs/attach")
        .with_which("wait")
}
