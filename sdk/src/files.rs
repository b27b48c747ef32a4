//! Reads small files of unknown origin: with a size limit, and never a pipe or a device.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Reads a regular file.
///
/// # Errors
/// The error of the system; `InvalidData` for a file that is not regular or longer than the limit.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Checked before it is opened: opening a pipe would block until its other end is opened.
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a regular file"));
    }
    let mut bytes = Vec::with_capacity(metadata.len().min(limit) as usize);
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => {
            let message = format!("longer than {limit} bytes");
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
        false => Ok(bytes),
    }
}

/// A larger settings file is not read.
const MAX_TEXT_BYTES: u64 = 4 << 20;

/// Reads a settings file of the agent CLI as text.
///
/// # Errors
/// The error of the system; `InvalidData` for a file that is not regular, not valid UTF-8 or longer
/// than 4 MiB.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_bounded(path, MAX_TEXT_BYTES)?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not valid UTF-8"))
}

/// Returns the beginning of a regular file as text; empty when it cannot be read.
pub(crate) fn read_beginning(path: &Path, length: u64) -> String {
    let mut bytes = Vec::new();
    let read = |bytes: &mut Vec<u8>| match path.metadata()?.is_file() {
        true => File::open(path)?.take(length).read_to_end(bytes),
        false => Ok(0),
    };
    match read(&mut bytes) {
        Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

/// Replaces a file atomically: a reader sees the old or the new content, never a part.
///
/// # Errors
/// The error of the system.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}

/// Expands `~` in a path of a manifest.
pub(crate) fn expand_home(text: &str, home: &Path) -> PathBuf {
    match text.strip_prefix('~').map(|rest| rest.strip_prefix(['/', '\\']).unwrap_or(rest)) {
        Some(rest) => home.join(rest),
        None => PathBuf::from(text),
    }
}
