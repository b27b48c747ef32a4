//! All runs on disk: listing, finding, and removing old ones.

use std::time::{Duration, SystemTime};

use od_protocol::ErrorKind;
use uuid::Uuid;

use super::folder::RunFolder;
use crate::error::HostError;
use crate::home::OdHome;
use crate::settings::Retention;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A fresh run id; ids sort by time.
pub(crate) fn fresh_id() -> String {
    Uuid::now_v7().to_string()
}

/// Whether an id can be the name of a folder on every system.
pub(crate) fn is_proper_id(run_id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=100).contains(&run_id.len()) && run_id.bytes().all(fits)
}

/// The ids of all runs, the newest first.
pub(crate) fn ids(home: &OdHome) -> Result<Vec<String>, HostError> {
    let folder = home.runs();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(HostError::storage(format!("cannot read {}", folder.display()), &error));
        }
    };
    let mut ids: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_proper_id(name))
        .collect();
    ids.sort_by(|left, right| right.cmp(left));
    Ok(ids)
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
    if is_proper_id(text) && home.run(text).is_dir() {
        return Ok(text.to_owned());
    }
    let ids = ids(home)?;
    if text == "last" {
        return ids.into_iter().next().ok_or_else(|| unknown("there are no runs yet".to_owned()));
    }
    let fitting: Vec<&String> =
        ids.iter().filter(|id| !text.is_empty() && id.starts_with(text)).collect();
    match fitting[..] {
        [only] => Ok(only.clone()),
        [] => Err(unknown(format!("there is no run {text:?}"))),
        _ => Err(unknown(format!("{} runs begin with {text:?}", fitting.len()))
            .with_hint("type more of the id; `od-host runs` lists them")),
    }
}

/// Removes a run that is over; false when it is gone already.
pub(crate) fn remove(folder: &RunFolder) -> Result<bool, HostError> {
    let removal = folder.lock_for_closing().and_then(|closing| {
        // Whoever closes or removes it at the same moment has come to an end.
        let removal = std::fs::remove_dir_all(folder.path());
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

/// Removes runs that are too old or too many. A run that is going on is left alone.
pub(crate) fn apply_retention(home: &OdHome, retention: &Retention) -> Result<usize, HostError> {
    let mut removed = 0;
    for (index, run_id) in ids(home)?.into_iter().enumerate() {
        let folder = RunFolder::of(home, &run_id);
        let surplus = retention.max_runs > 0 && index >= retention.max_runs;
        let limit = DAY * retention.days;
        let old = retention.days > 0 && age(&folder, &run_id).is_some_and(|age| age > limit);
        if (surplus || old) && remove_abandoned(&folder, &run_id) {
            removed += 1;
        }
    }
    Ok(removed)
}

fn remove_abandoned(folder: &RunFolder, run_id: &str) -> bool {
    // Whoever closes the run meanwhile must not take this look at its owner for the owner.
    let Ok(_closing) = folder.lock_for_closing() else { return false };
    let is_abandoned = is_abandoned(folder, run_id);
    if is_abandoned {
        folder.remove();
    }
    is_abandoned
}

/// Whoever owns the journal is writing it; a folder without one may be a run that just begins.
fn is_abandoned(folder: &RunFolder, run_id: &str) -> bool {
    match folder.take_over() {
        Ok(owned) => owned.is_some(),
        Err(_) => age(folder, run_id).is_some_and(|age| age > DAY),
    }
}

fn age(folder: &RunFolder, run_id: &str) -> Option<Duration> {
    let begun = match Uuid::try_parse(run_id).ok().and_then(|id| id.get_timestamp()) {
        Some(timestamp) => {
            let (seconds, nanoseconds) = timestamp.to_unix();
            SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)
        }
        None => std::fs::metadata(folder.path()).and_then(|metadata| metadata.modified()).ok()?,
    };
    SystemTime::now().duration_since(begun).ok()
}
