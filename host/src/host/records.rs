//! How one run stands, by its whole id. Which run a text means lives in `journal::store`.

use super::Host;
use crate::error::HostError;
use crate::journal::RunRecord;
use crate::journal::folder::RunFolder;
use crate::run::recover;

impl Host {
    /// A run for a list; `None` when its record cannot be read.
    pub(crate) fn shown(&self, run_id: &str) -> Option<RunRecord> {
        let unshown = |error: &HostError| {
            // One that was removed a moment ago, or that just begins, is no news.
            if RunFolder::of(self.home(), run_id).has_record() {
                tracing::warn!(run_id, %error, "a run cannot be shown");
            }
        };
        self.record_of(run_id).inspect_err(unshown).ok()
    }

    /// The record of a run by its whole id; one of this process is asked itself.
    pub(super) fn record_of(&self, run_id: &str) -> Result<RunRecord, HostError> {
        match self.live_run(run_id) {
            Some(run) => Ok(run.record()),
            None => recover::settle(&RunFolder::of(self.home(), run_id)),
        }
    }
}
