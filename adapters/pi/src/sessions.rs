//! Lists and reads native sessions: `<settings>/sessions/<folder>/<time>_<id>.jsonl`, one entry per
//! line. The files are never changed.

mod transcript;

use std::path::{Path, PathBuf};

use od_sdk::session_files::{SessionFile, entries};

pub(super) use transcript::Entry;

fn files(config_dir: &Path) -> Vec<SessionFile> {
    let folders = entries(&config_dir.join("sessions"));
    folders.iter().flat_map(|folder| entries(folder)).filter_map(session_file).collect()
}

/// The id follows the time, which has no underscore; the id may have one.
fn session_file(path: PathBuf) -> Option<SessionFile> {
    let (_, id) = path.file_stem()?.to_str()?.split_once('_')?;
    let id = id.to_owned();
    SessionFile::at(path, &id)
}
