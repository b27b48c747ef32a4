//! Who closes a run whose owner died. How that works needs the usage ledger and the rules of the event stream, so a
//! higher layer passes it in.

use super::RunRecord;
use super::folder::RunFolder;
use crate::error::HostError;

/// Returns the current record of a run; closes a run whose owner died. May block.
pub(crate) type SettleRun = fn(&RunFolder) -> Result<RunRecord, HostError>;

/// Settles a run on a thread that may block: the journal to close may be long.
pub(crate) async fn settle_in_background(
    folder: &RunFolder,
    settle: SettleRun,
) -> Result<RunRecord, HostError> {
    let record = folder.read_record()?;
    if record.is_closed() {
        return Ok(record);
    }
    let folder = folder.clone();
    let settling = tokio::task::spawn_blocking(move || settle(&folder));
    settling.await.unwrap_or_else(|error| Err(HostError::panicked("close a run", &error)))
}
