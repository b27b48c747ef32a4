//! Small operations on files that several modules share.

mod lines_from_end;
#[cfg(any(feature = "serve", feature = "otlp"))]
pub(crate) mod pem;
pub(crate) mod stamp;
pub(crate) mod trust;

pub(crate) use lines_from_end::LinesFromEnd;

use std::io::{ErrorKind, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The names in a folder; a missing folder is empty. Skips names that are not UTF-8.
pub(crate) fn names_in(folder: &Path) -> std::io::Result<Vec<String>> {
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Reads a JSON file; `None` when it is missing. The error is the reason for people.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| format!("it is damaged: {error}")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Replaces a JSON file atomically: a reader sees the old content or the new content, never a part.
pub(crate) fn replace_json(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, value)?;
    file.write_all(b"\n")?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
