//! Runs whose host died, damaged journals, and orphaned processes.

use super::Check;
use crate::home::OdHome;
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, Source, store};
use crate::plugin::orphans;
use crate::run::{HOST_DIED, recover};

/// Only the newest journals are read: they can be large.
const MAX_JOURNALS: usize = 20;

pub(super) fn check(home: &OdHome) -> Vec<Check> {
    let ids = match store::ids(home) {
        Ok(ids) => ids,
        Err(error) => {
            return vec![Check::fail("runs", error.message, error.hint.unwrap_or_default())];
        }
    };
    let mut checks = Vec::new();
    for (index, run_id) in ids.iter().enumerate() {
        let folder = RunFolder::of(home, run_id);
        match (folder.read_record(), recover::settle(&folder)) {
            (Ok(before), Ok(after)) => {
                checks.extend(abandoned(&before, &after));
                if index < MAX_JOURNALS && !after.status.is_alive() {
                    checks.extend(integrity(&folder, &after));
                }
            }
            (Err(error), _) | (_, Err(error)) => {
                checks.push(Check::warn(
                    "runs.unreadable",
                    error.message,
                    error.hint.unwrap_or_default(),
                ));
            }
        }
    }
    if checks.is_empty() {
        checks.push(Check::ok("runs", format!("{} runs, no damage", ids.len())));
    }
    checks.extend(orphaned_processes(home));
    checks
}

fn abandoned(before: &RunRecord, after: &RunRecord) -> Option<Check> {
    let closed_now = before.status.is_alive() && !after.status.is_alive();
    let died = after.error_kind.as_ref().is_some_and(|kind| kind.as_str() == HOST_DIED);
    (closed_now && died).then(|| {
        Check::warn(
            "runs.abandoned",
            format!("the host of run {} died; its journal was closed", after.run_id),
            format!("see its events: od-host replay {}", after.run_id),
        )
    })
}

fn integrity(folder: &RunFolder, record: &RunRecord) -> Option<Check> {
    let damaged = |found: String| {
        let fix = format!("read the undamaged events: od-host replay {}", record.run_id);
        Some(Check::warn("runs.damaged", found, fix))
    };
    let mut reader = match EventReader::open(folder.clone(), 0, Source::Finished) {
        Ok(reader) => reader,
        Err(error) => return damaged(error.message),
    };
    let (mut last, mut expected) = (String::new(), 0);
    loop {
        match reader.next_ready() {
            Ok(Some(event)) if event.seq != expected => {
                let (run_id, seq) = (&record.run_id, event.seq);
                return damaged(format!(
                    "the journal of run {run_id} has event {seq} in the place of {expected}"
                ));
            }
            Ok(Some(event)) => {
                event.type_name.clone_into(&mut last);
                expected += 1;
            }
            Ok(None) => break,
            Err(error) => return damaged(error.message),
        }
    }
    match reader.damaged_lines() {
        0 if last == "done" => None,
        0 => damaged(format!("the journal of run {} has no end", record.run_id)),
        count => damaged(format!("the journal of run {} has {count} damaged lines", record.run_id)),
    }
}

fn orphaned_processes(home: &OdHome) -> Vec<Check> {
    let orphans = orphans::list_adapters(home.root());
    if orphans.is_empty() {
        return vec![Check::ok("processes", "no orphaned adapter")];
    }
    let check = |(pid, command)| {
        let found = format!("process {pid} ({command}) is an adapter without a host");
        Check::warn("processes.left", found, format!("kill {pid}"))
    };
    orphans.into_iter().map(check).collect()
}
