//! All runs on disk: listing, finding, and removing old ones.

use std::path::Path;
use std::time::{Duration, SystemTime};

use od_protocol::ErrorKind;
use uuid::Uuid;

use super::folder::RunFolder;
use crate::error::HostError;
use crate::home::OdHome;
use crate::run::recover;
use crate::settings::Retention;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// No run takes so long between its folder and its record.
const BEING_MADE: Duration = Duration::from_secs(60);
/// How long somebody else may take to close a run that is to be removed.
const PATIENCE: Duration = Duration::from_secs(10);
/// What the names of runs begin with that are being removed; no id does.
const REMOVED: &str = ".removed-";

/// A fresh run id; ids sort by time.
pub(crate) fn fresh_id() -> String {
    Uuid::now_v7().to_string()
}

/// Whether an id can be the name of a folder on every system.
pub(crate) fn is_proper_id(run_id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=100).contains(&run_id.len()) && run_id.bytes().all(fits)
}

/// The ids of all runs, the newest first. One that is just being made may be among them.
pub(crate) fn ids(home: &OdHome) -> Result<Vec<String>, HostError> {
    let mut ids = names(home)?;
    ids.retain(|name| is_proper_id(name));
    ids.sort_by(|left, right| right.cmp(left));
    Ok(ids)
}

fn names(home: &OdHome) -> Result<Vec<String>, HostError> {
    let folder = home.runs();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(HostError::storage(format!("cannot read {}", folder.display()), &error));
        }
    };
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

/// Bytes of all journals; what cannot be looked at counts nothing.
pub(crate) fn bytes(home: &OdHome) -> u64 {
    let ids = ids(home).unwrap_or_default();
    let journals = ids.iter().map(|run_id| RunFolder::of(home, run_id).events());
    journals.filter_map(|path| Some(std::fs::metadata(path).ok()?.len())).sum()
}

/// The id that a text means: an id, the beginning of just one, or `last`.
pub(crate) fn find(home: &OdHome, text: &str) -> Result<String, HostError> {
    let unknown = |message: String| {
        HostError::protocol(ErrorKind::RunUnknown, message).with_hint("`od-host runs` lists them")
    };
    let is_there = |id: &str| RunFolder::of(home, id).has_record();
    if is_proper_id(text) && is_there(text) {
        return Ok(text.to_owned());
    }
    let mut ids = ids(home)?;
    if text == "last" {
        let last = ids.into_iter().find(|id| is_there(id));
        return last.ok_or_else(|| unknown("there are no runs yet".to_owned()));
    }
    ids.retain(|id| !text.is_empty() && id.starts_with(text) && is_there(id));
    match &ids[..] {
        [only] => Ok(only.clone()),
        [] => Err(unknown(format!("there is no run {text:?}"))),
        _ => Err(unknown(format!("{} runs begin with {text:?}", ids.len()))
            .with_hint("type more of the id; `od-host runs` lists them")),
    }
}

/// Removes a run that is over; false when it is gone already.
pub(crate) fn remove(folder: &RunFolder) -> Result<bool, HostError> {
    let removal = folder.lock_for_closing(PATIENCE).and_then(|closing| {
        // Whoever closes or removes it at the same moment has come to an end.
        let closing = closing.ok_or_else(|| std::io::Error::other("another process closes it"))?;
        let removal = folder.remove();
        drop(closing);
        removal
    });
    match removal {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => {
            Err(HostError::storage(format!("cannot remove {}", folder.path().display()), &error))
        }
    }
}

/// The name of a run while it is removed.
pub(super) fn removed_name() -> String {
    format!("{REMOVED}{}", fresh_id())
}

/// Removes a run that has such a name; another process may do the same.
pub(super) fn remove_hidden(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removal => removal,
    }
}

/// Removes what a host has left that was killed while it made or removed a run; says how many runs that were.
pub(crate) fn remove_halves(home: &OdHome) -> Result<usize, HostError> {
    let mut removed = 0;
    for name in names(home)? {
        let removal = if name.starts_with(REMOVED) {
            remove_hidden(&home.runs().join(&name))
        } else if is_proper_id(&name) && is_half_made(&RunFolder::of(home, &name), &name) {
            RunFolder::of(home, &name).remove()
        } else {
            continue;
        };
        match removal {
            Ok(()) => removed += 1,
            Err(error) => tracing::warn!(name, %error, "half a run cannot be removed"),
        }
    }
    Ok(removed)
}

/// Removes runs that are too old or too many. A run that is going on is left alone.
pub(crate) fn apply_retention(home: &OdHome, retention: &Retention) -> Result<usize, HostError> {
    let mut removed = 0;
    for (index, run_id) in ids(home)?.into_iter().enumerate() {
        let folder = RunFolder::of(home, &run_id);
        let surplus = retention.max_runs > 0 && index >= retention.max_runs;
        let limit = DAY * retention.days;
        let old = retention.days > 0 && age(&folder, &run_id).is_some_and(|age| age > limit);
        if !(surplus || old) || !may_go(&folder, &run_id) {
            continue;
        }
        match remove(&folder) {
            Ok(is_removed) => removed += usize::from(is_removed),
            Err(error) => tracing::warn!(run_id, %error, "an old run stays"),
        }
    }
    Ok(removed)
}

/// Whether a run is over. One whose host died is closed first, so that what it used is in the ledger.
fn may_go(folder: &RunFolder, run_id: &str) -> bool {
    match recover::settle(folder) {
        Ok(record) => !record.status.is_alive(),
        Err(_) if folder.has_record() => is_unowned(folder),
        Err(_) => is_half_made(folder, run_id),
    }
}

/// Whether a run was never made to the end, and is not being made now.
fn is_half_made(folder: &RunFolder, run_id: &str) -> bool {
    let is_old = age(folder, run_id).is_some_and(|age| age > DAY)
        || changed(folder).is_some_and(|age| age > BEING_MADE);
    !folder.has_record() && is_old && is_unowned(folder)
}

/// Whether no living process has the journal. Whoever closes the run at this moment would look like one that has.
fn is_unowned(folder: &RunFolder) -> bool {
    let Ok(Some(_closing)) = folder.lock_for_closing(Duration::ZERO) else { return false };
    match folder.take_over() {
        Ok(owned) => owned.is_some(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn age(folder: &RunFolder, run_id: &str) -> Option<Duration> {
    let Some(timestamp) = Uuid::try_parse(run_id).ok().and_then(|id| id.get_timestamp()) else {
        return changed(folder);
    };
    let (seconds, nanoseconds) = timestamp.to_unix();
    let begun = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    SystemTime::now().duration_since(begun).ok()
}

/// How long nothing has come into a folder or gone from it.
fn changed(folder: &RunFolder) -> Option<Duration> {
    let changed = std::fs::metadata(folder.path()).and_then(|metadata| metadata.modified()).ok()?;
    SystemTime::now().duration_since(changed).ok()
}

#[cfg(all(test, unix))]
mod tests;
