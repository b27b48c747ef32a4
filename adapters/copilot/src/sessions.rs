//! Native sessions on disk: `<config>/session-state/<session>/events.jsonl`, one event a line, in the
//! words of `--output-format json`. Read only. What a line means to a reader is in
//! `sessions/transcript.rs`.

mod transcript;

use std::path::{Path, PathBuf};

use od_protocol::adapter::{ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult};
use od_protocol::ErrorObject;
use od_sdk::session_files::{self, SessionFile, entries};

use transcript::{Record, tell};

/// The sessions, the newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    session_files::list::<Record>(files(config_dir), list_sessions_params)
}

/// One session, as events.
///
/// # Errors
/// `session_unknown` when there is none of that id, or it cannot be read.
pub fn read(
    config_dir: &Path,
    read_sessions_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    session_files::read(&files(config_dir), read_sessions_params, tell)
}

fn files(config_dir: &Path) -> Vec<SessionFile> {
    let folders = entries(&config_dir.join("session-state")).into_iter();
    folders.filter_map(session_file).collect()
}

fn session_file(folder: PathBuf) -> Option<SessionFile> {
    let id = folder.file_name()?.to_str()?;
    SessionFile::at(folder.join("events.jsonl"), id)
}
