//! Native sessions on disk: `<config>/tmp/<project>/chats/session-<minute>-<start of the id>.jsonl`.
//! Read only.

use std::fs;
use std::path::{Path, PathBuf};

use od_sdk::auth::rfc3339_millis;

/// The names of files hold the time to the minute.
const MINUTE_MS: u64 = 60_000;
/// How much of a session's id its file is named after.
const ID_CHARACTERS: usize = 8;

/// How long a session must rest before it can be loaded over ACP, if it must.
///
/// The CLI gives a loaded session a file of its own, named by the minute. Within the minute of the
/// session's own file that is the same file, and everything said before is lost (seen with 0.61.0).
pub fn rest_ms(config_dir: &Path, session_id: &str, now_ms: u64) -> Option<u64> {
    let start: String = session_id.chars().take(ID_CHARACTERS).collect();
    let projects = entries(&config_dir.join("tmp"));
    let files = projects.iter().flat_map(|project| entries(&project.join("chats")));
    let begun = files.filter_map(|file| began_at(file.file_name()?.to_str()?, &start));
    let free_at = begun.max()?.checked_add(MINUTE_MS)?;
    free_at.checked_sub(now_ms).filter(|rest| *rest > 0)
}

/// The minute in a file's name.
fn began_at(name: &str, id_start: &str) -> Option<u64> {
    let rest = name.strip_prefix("session-")?.strip_suffix(".jsonl")?;
    let minute = rest.strip_suffix(id_start)?.strip_suffix('-')?;
    let (hour, minutes) = minute.rsplit_once('-')?;
    rfc3339_millis(&format!("{hour}:{minutes}:00Z"))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
