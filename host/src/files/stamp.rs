//! How the host knows that an executable is the same file as before.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What `stat` says. While it is the same, the hash is not computed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stamp {
    inode: u64,
    size: u64,
    modified_ns: u128,
}

impl Stamp {
    /// Looks at a file.
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self { inode: inode(&metadata), size: metadata.len(), modified_ns: modified.as_nanos() })
    }
}

/// What a file or folder is now, and where a link leads; it may also be absent. Two looks that differ mean
/// that it was changed, replaced, made or removed.
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

/// Bytes as people write a hash.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &std::fs::Metadata) -> u64 {
    0 // There is none to be had without opening the file; size, time and hash still tell.
}
