//! Native sessions on disk: `<config>/session-state/<session>/events.jsonl`, one line per event, with
//! the line types of `--output-format json`. Read only. `sessions/transcript.rs` maps the lines.

mod transcript;

use std::path::{Path, PathBuf};

use od_protocol::ErrorObject;
use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_sdk::session_files::{self, SessionFile, entries};

use transcript::{Record, to_events};

/// Lists the sessions, newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    session_files::list::<Record>(files(config_dir), list_sessions_params)
}

/// Reads one session as events.
///
/// # Errors
/// `session_unknown` when no session has that id or its file cannot be read.
pub fn read(
    config_dir: &Path,
    read_session_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    session_files::read(&files(config_dir), read_session_params, to_events)
}

fn files(config_dir: &Path) -> Vec<SessionFile> {
    let folders = entries(&config_dir.join("session-state")).into_iter();
    folders.filter_map(session_file).collect()
}

fn session_file(folder: PathBuf) -> Option<SessionFile> {
    let id = folder.file_name()?.to_str()?;
    SessionFile::at(folder.join("events.jsonl"), id)
}
