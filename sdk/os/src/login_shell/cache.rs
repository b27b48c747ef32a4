//! The last answer of a login shell, in one small JSON file.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// How long a PATH is used before the shell is started again.
const PATH_LIFETIME_MS: u64 = 24 * 60 * 60 * 1000;

/// How long a failure is remembered: a shell that hangs costs its time limit once in this time.
const FAILURE_LIFETIME_MS: u64 = 10 * 60 * 1000;

/// A larger file was not written by this module.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// What a shell answered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    shell: PathBuf,
    stamp: String,
    /// Milliseconds since 1970.
    asked_at: u64,
    /// Null when the shell reported no PATH.
    pub(super) path: Option<String>,
}

impl Entry {
    pub(super) fn is_recent(&self, shell: &Path, stamp: &str) -> bool {
        let lifetime = if self.path.is_some() { PATH_LIFETIME_MS } else { FAILURE_LIFETIME_MS };
        let now = now_ms();
        let is_young = self.asked_at <= now && now - self.asked_at < lifetime;
        self.shell == shell && self.stamp == stamp && is_young
    }
}

/// Returns the PATH that a shell reported last, however old it is. Starts no process and checks no
/// startup file: for callers that must be fast and have queried the shell before.
pub fn remembered_path(cache_file: &Path, shell: &Path) -> Option<String> {
    read(cache_file).filter(|entry| entry.shell == shell)?.path
}

/// Reads the file; one that is missing or unreadable counts as empty.
pub(super) fn read(file: &Path) -> Option<Entry> {
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Replaces the file atomically. A PATH that is not UTF-8 is not cached.
pub(super) fn write(file: &Path, shell: &Path, stamp: String, path: Option<&OsStr>) {
    let text = path.map(|path| path.to_str().map(str::to_owned));
    if let Some(None) = text {
        return;
    }
    let shell = shell.to_owned();
    let entry = Entry { shell, stamp, asked_at: now_ms(), path: text.flatten() };
    if let Err(error) = replace(file, &entry) {
        tracing::warn!(file = %file.display(), %error, "cannot cache the login shell's PATH");
    }
}

fn replace(file: &Path, entry: &Entry) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&serde_json::to_vec_pretty(entry)?)?;
    temporary.persist(file)?;
    Ok(())
}

/// Changes when one of the files is created, removed or modified. Only compared for equality with
/// a value of the same build, so the hash need not be stable across versions of Rust.
pub(super) fn stamp(files: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        let metadata = file.metadata().ok();
        metadata.map(|metadata| (metadata.len(), metadata.modified().ok())).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

fn now_ms() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_is_recent_for_same_shell_and_stamp() {
        let entry = |asked_at, path: Option<&str>| Entry {
            shell: "/bin/sh".into(),
            stamp: "1".to_owned(),
            asked_at,
            path: path.map(str::to_owned),
        };
        let shell = Path::new("/bin/sh");
        assert!(entry(now_ms(), Some("/a")).is_recent(shell, "1"));
        assert!(!entry(now_ms(), Some("/a")).is_recent(shell, "2"), "a startup file changed");
        assert!(!entry(now_ms(), Some("/a")).is_recent(Path::new("/bin/zsh"), "1"));
        let hour_ago = now_ms() - 60 * 60 * 1000;
        assert!(entry(hour_ago, Some("/a")).is_recent(shell, "1"));
        assert!(!entry(hour_ago, None).is_recent(shell, "1"), "failures are retried sooner");
        assert!(!entry(now_ms() + 60_000, Some("/a")).is_recent(shell, "1"), "the clock moved");
    }

    #[test]
    fn stamp_changes_with_a_startup_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = [folder.path().join(".profile")];
        let before = stamp(&files);
        std::fs::write(&files[0], "PATH=/a\n").expect("a file");
        assert_ne!(stamp(&files), before);
        assert_eq!(stamp(&files), stamp(&files));
    }

    #[test]
    fn written_path_is_remembered_for_its_shell() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("state/login-path.json");
        let shell = Path::new("/bin/sh");
        assert_eq!(remembered_path(&file, shell), None);
        write(&file, shell, "1".to_owned(), Some("/a:/b".as_ref()));
        assert_eq!(remembered_path(&file, shell).as_deref(), Some("/a:/b"));
        assert_eq!(remembered_path(&file, Path::new("/bin/zsh")), None);
        write(&file, shell, "1".to_owned(), None);
        assert_eq!(remembered_path(&file, shell), None);
    }
}
