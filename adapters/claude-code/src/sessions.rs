//! Native sessions on disk: `<config>/projects/<folder>/<session>.jsonl`, one line per message. Never
//! writes. `sessions/transcript.rs` maps the lines to events.

mod transcript;

use std::path::Path;

use od_protocol::ErrorObject;
use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_sdk::session_files::{self, SessionFile, entries, project_folders};

use transcript::Line;

/// Lists the sessions, newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    let files = files(config_dir, list_sessions_params.cwd.as_deref());
    session_files::list::<Line>(files, list_sessions_params)
}

/// Reads one session as events.
///
/// # Errors
/// `session_unknown` if no session has this id, or it cannot be read.
pub fn read(
    config_dir: &Path,
    read_session_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    let files = files(config_dir, read_session_params.cwd.as_deref());
    session_files::read(&files, read_session_params, transcript::to_events)
}

/// Names that are not UUIDs are logs of subagents.
fn files(config_dir: &Path, cwd: Option<&str>) -> Vec<SessionFile> {
    let folders = project_folders(&config_dir.join("projects"), cwd);
    let files = folders.iter().flat_map(|folder| entries(folder));
    files.filter_map(SessionFile::named_by_uuid).collect()
}
