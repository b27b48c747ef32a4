//! All runs on disk: lists, finds and removes them.

use std::path::Path;
use std::time::{Duration, SystemTime};

use od_protocol::ErrorKind;
use uuid::Uuid;

use super::SettleRun;
use super::folder::RunFolder;
use crate::error::HostError;
use crate::files::names_in;
use crate::home::OdHome;
use crate::settings::Retention;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A run without a record after this time was not created completely.
const MAX_CREATION_TIME: Duration = Duration::from_secs(60);
/// How long a removal waits for another process that closes the run.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(10);
/// The prefix of a folder that is being removed; not valid in an id.
const REMOVED_PREFIX: &str = ".removed-";

/// Returns a new run id; ids sort by time.
pub(crate) fn new_run_id() -> String {
    Uuid::now_v7().to_string()
}

/// Whether an id is a valid folder name on every system.
pub(crate) fn is_valid_id(run_id: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=100).contains(&run_id.len()) && run_id.bytes().all(is_allowed)
}

/// The ids of all runs, the newest first. A run that is being created may be included.
pub(crate) fn ids(home: &OdHome) -> Result<Vec<String>, HostError> {
    let mut ids = names(home)?;
    ids.retain(|name| is_valid_id(name));
    ids.sort_by(|left, right| right.cmp(left));
    Ok(ids)
}

fn names(home: &OdHome) -> Result<Vec<String>, HostError> {
    let folder = home.runs();
    names_in(&folder).map_err(|error| HostError::file("read", &folder, &error))
}

/// The size of all journals; unreadable ones are ignored.
pub(crate) fn bytes(home: &OdHome) -> u64 {
    let ids = ids(home).unwrap_or_default();
    let journals = ids.iter().map(|run_id| RunFolder::of(home, run_id).events());
    journals.filter_map(|path| Some(std::fs::metadata(path).ok()?.len())).sum()
}

/// Resolves a text to a run id: an id, an unambiguous prefix of one, or `last`.
pub(crate) fn find(home: &OdHome, text: &str) -> Result<String, HostError> {
    let unknown = |message: String| {
        HostError::protocol(ErrorKind::RunUnknown, message).with_hint("list the runs: od-host runs")
    };
    let exists = |id: &str| RunFolder::of(home, id).has_record();
    if is_valid_id(text) && exists(text) {
        return Ok(text.to_owned());
    }
    let mut ids = ids(home)?;
    if text == "last" {
        let last = ids.into_iter().find(|id| exists(id));
        return last.ok_or_else(|| {
            unknown("there are no runs yet".to_owned())
                .with_hint("start one: od-host run \"make a small page\"")
        });
    }
    ids.retain(|id| !text.is_empty() && id.starts_with(text) && exists(id));
    match &ids[..] {
        [only] => Ok(only.clone()),
        [] => Err(unknown(format!("unknown run {text:?}"))),
        _ => Err(unknown(format!("the ids of {} runs start with {text:?}", ids.len()))
            .with_hint("type more of the id; list the runs: od-host runs")),
    }
}

/// Removes a run that has ended; returns false when it no longer exists.
pub(crate) fn remove(folder: &RunFolder) -> Result<bool, HostError> {
    let removal = folder.lock_for_closing(CLOSING_TIMEOUT).and_then(|closing| {
        // No other process closes or removes it while this one has the lock.
        let closing =
            closing.ok_or_else(|| std::io::Error::other("another process is closing it"))?;
        let removal = folder.remove();
        drop(closing);
        removal
    });
    match removal {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(HostError::file("remove", folder.path(), &error)),
    }
}

/// The name of a run while it is being removed.
pub(super) fn removed_name() -> String {
    format!("{REMOVED_PREFIX}{}", new_run_id())
}

/// Removes a renamed run; another process may do the same.
pub(super) fn remove_hidden(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removal => removal,
    }
}

/// Removes runs whose creation or removal was interrupted; returns their number.
pub(crate) fn remove_incomplete(home: &OdHome) -> Result<usize, HostError> {
    let mut removed = 0;
    for name in names(home)? {
        let removal = if name.starts_with(REMOVED_PREFIX) {
            remove_hidden(&home.runs().join(&name))
        } else if is_valid_id(&name) && is_incomplete(&RunFolder::of(home, &name), &name) {
            RunFolder::of(home, &name).remove()
        } else {
            continue;
        };
        match removal {
            Ok(()) => removed += 1,
            Err(error) => tracing::warn!(name, %error, "cannot remove an incomplete run"),
        }
    }
    Ok(removed)
}

/// Removes runs that are too old or too many. A run that has not ended is kept.
pub(crate) fn apply_retention(
    home: &OdHome,
    retention: &Retention,
    settle: SettleRun,
) -> Result<usize, HostError> {
    let mut removed = 0;
    for (index, run_id) in ids(home)?.into_iter().enumerate() {
        let folder = RunFolder::of(home, &run_id);
        let is_surplus = retention.max_runs > 0 && index >= retention.max_runs;
        let limit = DAY * retention.days;
        let is_old = retention.days > 0 && age(&folder, &run_id).is_some_and(|age| age > limit);
        if !(is_surplus || is_old) || !may_remove(&folder, &run_id, settle) {
            continue;
        }
        match remove(&folder) {
            Ok(is_removed) => removed += usize::from(is_removed),
            Err(error) => tracing::warn!(run_id, %error, "cannot remove an old run"),
        }
    }
    Ok(removed)
}

/// Whether a run has ended. A run whose host died is closed first, so that its usage is in the ledger.
fn may_remove(folder: &RunFolder, run_id: &str, settle: SettleRun) -> bool {
    match settle(folder) {
        Ok(record) => !record.status.is_alive(),
        Err(_) if folder.has_record() => is_unowned(folder),
        Err(_) => is_incomplete(folder, run_id),
    }
}

/// Whether the creation of a run was interrupted.
fn is_incomplete(folder: &RunFolder, run_id: &str) -> bool {
    let is_old = age(folder, run_id).is_some_and(|age| age > DAY)
        || time_since_change(folder).is_some_and(|age| age > MAX_CREATION_TIME);
    !folder.has_record() && is_old && is_unowned(folder)
}

/// Whether no live process owns the journal. A process that closes the run locks it first, so it is not mistaken for
/// the owner.
fn is_unowned(folder: &RunFolder) -> bool {
    let Ok(Some(_closing)) = folder.lock_for_closing(Duration::ZERO) else { return false };
    match folder.take_over() {
        Ok(owned) => owned.is_some(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn age(folder: &RunFolder, run_id: &str) -> Option<Duration> {
    let Some(timestamp) = Uuid::try_parse(run_id).ok().and_then(|id| id.get_timestamp()) else {
        return time_since_change(folder);
    };
    let (seconds, nanoseconds) = timestamp.to_unix();
    let started = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    SystemTime::now().duration_since(started).ok()
}

fn time_since_change(folder: &RunFolder) -> Option<Duration> {
    let changed = std::fs::metadata(folder.path()).and_then(|metadata| metadata.modified()).ok()?;
    SystemTime::now().duration_since(changed).ok()
}

#[cfg(all(test, unix))]
mod tests;
