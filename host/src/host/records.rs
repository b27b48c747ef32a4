//! The record of one run by its full id. Finding a run by a prefix is in `journal::store`.

use super::Host;
use crate::error::HostError;
use crate::journal::RunRecord;
use crate::journal::folder::RunFolder;
use crate::run::recover;

impl Host {
    /// The record of a run; `None` when it cannot be read.
    pub(crate) fn readable_record(&self, run_id: &str) -> Option<RunRecord> {
        let log = |error: &HostError| {
            // A run that was just removed, or is just being created, has no record: not worth a warning.
            if RunFolder::of(self.home(), run_id).has_record() {
                tracing::warn!(run_id, %error, "cannot read the record of a run");
            }
        };
        self.record_of(run_id).inspect_err(log).ok()
    }

    /// The record of a run; from memory for a live run of this process.
    pub(super) fn record_of(&self, run_id: &str) -> Result<RunRecord, HostError> {
        match self.live_run(run_id) {
            Some(run) => Ok(run.record()),
            None => recover::settle(&RunFolder::of(self.home(), run_id)),
        }
    }
}
