//! Cleans up after an earlier host: closes its unfinished runs as failed, removes files that only a live run needs, and
//! stops orphaned processes. An adapter exits with its host, so only hung adapters and the agent CLIs of killed adapters
//! are left.

use std::time::Duration;

use super::keys;
use crate::error::HostError;
use crate::host::Host;
use crate::journal::folder::RunFolder;
use crate::journal::store;
use crate::plugin::orphans;
use crate::run::recover;

/// An adapter without a host has five seconds to stop its agent CLI before it exits.
const ADAPTER_EXIT_GRACE: Duration = Duration::from_secs(6);

/// Stops the adapters of killed hosts, in the background.
pub(super) fn stop_orphans_in_background(host: &Host) {
    let home = host.home().root().to_owned();
    drop(tokio::spawn(async move {
        tokio::time::sleep(ADAPTER_EXIT_GRACE).await;
        let ended = tokio::task::spawn_blocking(move || orphans::kill_adapters(&home)).await;
        if let Ok(ended @ 1..) = ended {
            tracing::warn!(ended, "stopped processes of a dead host");
        }
    }));
}

/// Closes the runs of dead hosts, in the background.
pub(super) fn settle_in_background(host: &Host) {
    let host = host.clone();
    drop(tokio::task::spawn_blocking(move || {
        if let Err(error) = settle_all(&host) {
            tracing::warn!(%error, "cannot close the runs of an earlier host");
        }
    }));
}

fn settle_all(host: &Host) -> Result<(), HostError> {
    let has_ended = |run_id: &str| {
        store::is_valid_id(run_id)
            && recover::has_ended(&RunFolder::of(host.home(), run_id))
                .is_ok_and(|has_ended| has_ended)
    };
    let orphans = orphans::kill_of_ended_runs(has_ended);
    if orphans > 0 {
        tracing::warn!(processes = orphans, "stopped processes of ended runs");
    }
    keys::delete_unused(host.home());
    let incomplete = store::remove_incomplete(host.home())?;
    if incomplete > 0 {
        tracing::info!(runs = incomplete, "removed runs that were only partly created or deleted");
    }
    for run_id in store::ids(host.home())? {
        let folder = RunFolder::of(host.home(), &run_id);
        match recover::settle(&folder) {
            Ok(record) if !record.status.is_alive() => recover::remove_runtime_files(&folder),
            Ok(_) => {}
            Err(error) if folder.has_record() => {
                tracing::warn!(run_id, %error, "cannot close a run");
            }
            Err(_) => {} // It was just removed, or is just being created.
        }
    }
    Ok(())
}
