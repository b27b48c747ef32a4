//! What an earlier host has left behind: its unfinished runs are closed as failed, and files that only a living run
//! needs are removed. Their processes are mostly gone already, because an adapter ends with its host; those whose
//! adapter was killed with it are ended here, and adapters that do not end.

use std::time::Duration;

use super::keys;
use crate::error::HostError;
use crate::host::Host;
use crate::journal::folder::RunFolder;
use crate::journal::store;
use crate::plugin::orphans;
use crate::run::recover;

/// An adapter that has lost its host ends its agent CLI first, for which it has five seconds.
const LAST_MOMENTS: Duration = Duration::from_secs(6);

/// Ends the adapters that an earlier host was killed without, beside everything else.
pub(super) fn end_outlived_in_background(host: &Host) {
    let home = host.home().root().to_owned();
    drop(tokio::spawn(async move {
        tokio::time::sleep(LAST_MOMENTS).await;
        let ended = tokio::task::spawn_blocking(move || orphans::kill_adapters(&home)).await;
        if let Ok(ended @ 1..) = ended {
            tracing::warn!(ended, "processes of a host that is gone were ended");
        }
    }));
}

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
    let is_over = |run_id: &str| {
        store::is_valid_id(run_id)
            && recover::has_ended(&RunFolder::of(host.home(), run_id)).is_ok_and(|is_over| is_over)
    };
    let strays = orphans::kill_of_ended_runs(is_over);
    if strays > 0 {
        tracing::warn!(strays, "processes of runs that are over were ended");
    }
    keys::forget_removed(host.home());
    let halves = store::remove_incomplete(host.home())?;
    if halves > 0 {
        tracing::info!(
            halves,
            "runs that were never made, or not removed, to the end are gone now"
        );
    }
    for run_id in store::ids(host.home())? {
        let folder = RunFolder::of(host.home(), &run_id);
        match recover::settle(&folder) {
            Ok(record) if !record.status.is_alive() => recover::remove_runtime_files(&folder),
            Ok(_) => {}
            Err(error) if folder.has_record() => {
                tracing::warn!(run_id, %error, "a run cannot be settled");
            }
            Err(_) => {} // It has gone meanwhile, or just begins.
        }
    }
    Ok(())
}
