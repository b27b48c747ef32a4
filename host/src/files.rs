//! Small operations on files that several modules share.

mod lines_from_end;
#[cfg(any(feature = "serve", feature = "otlp"))]
pub(crate) mod pem;
pub(crate) mod stamp;
pub(crate) mod trust;

pub(crate) use lines_from_end::LinesFromEnd;

use std::io::Write;
use std::path::Path;

use serde::Serialize;

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
