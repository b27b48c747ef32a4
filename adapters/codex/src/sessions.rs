//! Native sessions on disk: `<config>/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. Read only.
//! `sessions/transcript.rs` maps the lines.

mod rollout;
mod transcript;

use std::path::{Path, PathBuf};

use od_protocol::ErrorObject;
use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_sdk::session_files::{self, SessionFile, entries};

use rollout::Line;

/// The length of a thread id, which ends the file name.
const ID_CHARS: usize = 36;

/// Lists the sessions, the newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    session_files::list::<Line>(files(config_dir), list_sessions_params)
}

/// Returns the events of one session.
///
/// # Errors
/// `session_unknown` if no session has this id, or its file cannot be read.
pub fn read(
    config_dir: &Path,
    read_session_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    session_files::read(&files(config_dir), read_session_params, transcript::events)
}

fn files(config_dir: &Path) -> Vec<SessionFile> {
    let below = |folders: Vec<PathBuf>| -> Vec<PathBuf> {
        folders.iter().flat_map(|folder| entries(folder)).collect()
    };
    let days = below(below(entries(&config_dir.join("sessions"))));
    below(days).into_iter().filter_map(session_file).collect()
}

fn session_file(path: PathBuf) -> Option<SessionFile> {
    let name = path.file_stem()?.to_str()?;
    let id = name
        .strip_prefix("rollout-")
        .and_then(|rest| rest.get(rest.len().checked_sub(ID_CHARS)?..))?;
    uuid::Uuid::try_parse(id).ok()?;
    let id = id.to_owned();
    SessionFile::at(path, &id)
}
