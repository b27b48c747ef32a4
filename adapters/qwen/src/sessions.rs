//! Native sessions on disk: `<config>/projects/<folder>/chats/<session>.jsonl`, one record per
//! line. Read only. `sessions/transcript.rs` maps the records to events.

mod transcript;

use std::path::Path;

use od_protocol::ErrorObject;
use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_sdk::session_files::{self, SessionFile, entries, project_folders};

use transcript::{Record, to_events};

/// Lists the sessions, newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    let files = files(config_dir, list_sessions_params.cwd.as_deref());
    session_files::list::<Record>(files, list_sessions_params)
}

/// Reads one session as events.
///
/// # Errors
/// `session_unknown` when no session has that id or its file cannot be read.
pub fn read(
    config_dir: &Path,
    read_session_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    let files = files(config_dir, read_session_params.cwd.as_deref());
    session_files::read(&files, read_session_params, to_events)
}

fn files(config_dir: &Path, cwd: Option<&str>) -> Vec<SessionFile> {
    let folders = project_folders(&config_dir.join("projects"), cwd);
    let files = folders.iter().flat_map(|folder| entries(&folder.join("chats")));
    files.filter_map(SessionFile::named_by_uuid).collect()
}
