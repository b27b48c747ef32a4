//! Detects whether a file has changed: by its metadata, and by its hash.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The metadata of a file. While it is the same, the hash is not computed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stamp {
    inode: u64,
    size: u64,
    modified_ns: u128,
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self { inode: inode(&metadata), size: metadata.len(), modified_ns: modified.as_nanos() })
    }
}

/// Describes a file or folder, which may be missing, and the target of a link. Two different descriptions mean that it
/// was changed, replaced, created or removed.
pub(crate) fn trace(path: &Path) -> String {
    let stamp = Stamp::of(path).ok();
    let real = stamp.is_some().then(|| std::fs::canonicalize(path).ok()).flatten();
    format!("{} {stamp:?} {real:?}\n", path.display())
}

/// The hash of a file, in hex.
pub(crate) fn sha256(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; 256 * 1024];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            length => hasher.update(&chunk[..length]),
        }
    }
    Ok(hex(&hasher.finalize()))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &std::fs::Metadata) -> u64 {
    0 // Reading it requires opening the file; size, time and hash are enough.
}
