//! What came of a run. How it is composed lives in `run::result`.

use std::time::{Duration, Instant};

use od_protocol::ErrorKind;
use od_protocol::api::RunResult;

use super::Host;
use crate::error::HostError;
use crate::journal::RunRecord;
use crate::journal::folder::RunFolder;
use crate::run::{recover, result};
use crate::usage;

/// How often a run of another process is looked at.
const LOOK: Duration = Duration::from_millis(50);

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
        let record = self.end_of(run_id, wait).await?;
        let mut reader = self.events(&record.run_id, 0)?;
        // A journal may be long, and reading it does not wait for anything.
        let home = self.home().clone();
        let composing = tokio::task::spawn_blocking(move || {
            result::compose(&record, &mut reader, &usage::past(&home, &record))
        });
        composing.await.unwrap_or_else(|error| {
            Err(HostError::protocol(ErrorKind::Internal, error.to_string()))
        })
    }

    async fn end_of(&self, run_id: &str, wait: Option<Duration>) -> Result<RunRecord, HostError> {
        let begin = Instant::now();
        let late = || {
            let text = format!("the run {run_id} is still going on");
            HostError::protocol(ErrorKind::Timeout, text)
                .with_hint("ask again, or watch it: od-host attach RUN, runs/attach")
        };
        let run_id = &self.find_run(run_id)?.run_id;
        if let Some(run) = self.live_run(run_id) {
            match wait {
                None => drop(run.wait().await),
                Some(limit) => {
                    tokio::time::timeout(limit, run.wait()).await.map_err(|_| late())?;
                }
            }
            return Ok(run.record());
        }
        loop {
            let record = recover::settle(&RunFolder::of(self.home(), run_id))?;
            if !record.status.is_alive() {
                return Ok(record);
            }
            if wait.is_some_and(|wait| begin.elapsed() >= wait) {
                return Err(late());
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}
