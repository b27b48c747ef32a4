//! Lists and reads native sessions: `<settings>/sessions/<folder>/<time>_<id>.jsonl`, one entry per
//! line. The files are never changed.

mod transcript;

use std::path::{Path, PathBuf};

use od_protocol::ErrorObject;
use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};

use od_sdk::session_files::{self, SessionFile, entries};
use transcript::{Entry, to_events};

/// Lists the sessions, newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    session_files::list::<Entry>(files(config_dir), list_sessions_params)
}

/// Reads one session as events.
///
/// # Errors
/// `session_unknown` for an unknown id or an unreadable file.
pub fn read(
    config_dir: &Path,
    read_session_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    session_files::read(&files(config_dir), read_session_params, to_events)
}

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
