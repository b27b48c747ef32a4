//! Native sessions on disk: `<config>/projects/<folder>/chats/<session>.jsonl`, one record a line.
//! Read only. What a record means to a reader is in `sessions/transcript.rs`.

mod transcript;

use std::path::Path;

use od_protocol::adapter::{ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult};
use od_protocol::ErrorObject;
use od_sdk::session_files::{self, SessionFile, entries, project_folders};

use transcript::{Record, tell};

/// The sessions, the newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    let files = files(config_dir, list_sessions_params.cwd.as_deref());
    session_files::list::<Record>(files, list_sessions_params)
}

/// One session, as events.
///
/// # Errors
/// `session_unknown` when there is none of that id, or it cannot be read.
pub fn read(
    config_dir: &Path,
    read_sessions_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    let files = files(config_dir, read_sessions_params.cwd.as_deref());
    session_files::read(&files, read_sessions_params, tell)
}

fn files(config_dir: &Path, cwd: Option<&str>) -> Vec<SessionFile> {
    let folders = project_folders(&config_dir.join("projects"), cwd);
    let files = folders.iter().flat_map(|folder| entries(&folder.join("chats")));
    files.filter_map(SessionFile::named_by_uuid).collect()
}
