//! The files of a folder, and what has changed since. Contains no check.

use std::collections::BTreeMap;
use std::fs::FileType;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// How many files are read at most.
const MAX_FILES: usize = 10_000;

/// Of a larger file only the size and the time of its last change are compared.
const MAX_READ_BYTES: u64 = 4 << 20;

/// Every file below a folder with a hash of its bytes; its subfolder `tmp` is excluded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Snapshot(BTreeMap<String, u64>);

impl Snapshot {
    pub(super) fn take(folder: &Path) -> Self {
        let mut snapshot = Self::default();
        snapshot.add(folder, folder);
        snapshot
    }

    /// Returns new, deleted and changed files.
    pub(super) fn changes(&self, later: &Self) -> Vec<String> {
        let created = later.0.keys().filter(|name| !self.0.contains_key(*name));
        let created = created.map(|name| format!("{name} was created"));
        let others = self.0.iter().filter_map(|(name, hash)| match later.0.get(name) {
            None => Some(format!("{name} was deleted")),
            Some(now) if now != hash => Some(format!("{name} was changed")),
            Some(_) => None,
        });
        created.chain(others).collect()
    }

    fn add(&mut self, top: &Path, folder: &Path) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_temporary = folder == top && entry.file_name() == "tmp";
            if is_temporary || self.0.len() >= MAX_FILES {
                continue;
            }
            let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                self.0.insert(format!("{name}/"), 0);
                self.add(top, &path);
            } else {
                self.0.insert(name, hash(&path, kind));
            }
        }
    }
}

/// Hashes the contents of a file, or the target of a link. Other kinds are not opened: reading a
/// named pipe would block.
fn hash(path: &Path, kind: FileType) -> u64 {
    let mut hasher = DefaultHasher::new();
    let metadata = path.symlink_metadata().ok();
    let is_large = metadata.as_ref().is_some_and(|metadata| metadata.len() > MAX_READ_BYTES);
    if kind.is_file() && is_large {
        let modified = metadata.and_then(|it| Some((it.len(), it.modified().ok()?)));
        modified.hash(&mut hasher);
    } else if kind.is_file() {
        hasher.write(&std::fs::read(path).unwrap_or_default());
    } else if kind.is_symlink() {
        hasher.write(b"link ");
        let target = std::fs::read_link(path).unwrap_or_default();
        hasher.write(target.to_string_lossy().as_bytes());
    } else {
        hasher.write(b"special file");
    }
    hasher.finish()
}
