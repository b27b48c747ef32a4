//! What an earlier host has left behind: its unfinished runs are closed as failed, and files that only a living run
//! needs are removed. Their processes are gone already, because an adapter ends with its host.

use crate::error::HostError;
use crate::host::Host;
use crate::journal::folder::RunFolder;
use crate::journal::store;
use crate::run::recover;

/// Settles all runs beside everything else.
pub(super) fn settle_in_background(host: &Host) {
    let host = host.clone();
    drop(tokio::task::spawn_blocking(move || {
        if let Err(error) = settle_all(&host) {
            tracing::warn!(%error, "the runs of an earlier host are not settled");
        }
    }));
}

fn settle_all(host: &Host) -> Result<(), HostError> {
    for run_id in store::ids(host.home())? {
        let folder = RunFolder::of(host.home(), &run_id);
        match recover::settle(&folder) {
            Ok(record) if !record.status.is_alive() => recover::remove_traces(&folder),
            Ok(_) => {}
            Err(error) => tracing::warn!(run_id, %error, "a run cannot be settled"),
        }
    }
    Ok(())
}
