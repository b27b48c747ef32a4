//! Native sessions on disk: `<config>/projects/<folder>/<session>.jsonl`, one line a message.
//! Read only. What a line means to a reader is in `sessions/transcript.rs`.

mod transcript;

use std::path::{Path, PathBuf};

use od_protocol::{
    ErrorObject, ListSessionsParams, ListSessionsResult, ReadSessionsParams, ReadSessionsResult,
};
use od_sdk::session_files::{self, SessionFile, entries};

use transcript::Line;

/// The sessions, the newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    let files = files(config_dir, list_sessions_params.cwd.as_deref());
    session_files::list::<Line>(files, list_sessions_params)
}

/// One session, as events.
///
/// # Errors
/// `session_unknown` when there is none of that id, or it cannot be read.
pub fn read(
    config_dir: &Path,
    read_sessions_params: &ReadSessionsParams,
) -> Result<ReadSessionsResult, ErrorObject> {
    let files = files(config_dir, read_sessions_params.cwd.as_deref());
    session_files::read(&files, read_sessions_params, transcript::events)
}

/// The folder of a cwd: every character that is no ASCII letter or digit becomes a dash. Different
/// folders may share a name.
fn folder_name(cwd: &str) -> String {
    cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn files(config_dir: &Path, cwd: Option<&str>) -> Vec<SessionFile> {
    let projects = config_dir.join("projects");
    let folders = match cwd {
        Some(cwd) => vec![projects.join(folder_name(cwd))],
        None => entries(&projects),
    };
    let files = folders.iter().flat_map(|folder| entries(folder));
    files.filter_map(session_file).collect()
}

fn session_file(path: PathBuf) -> Option<SessionFile> {
    let id = path.file_stem()?.to_str()?.to_owned();
    // Logs of subagents sit beside the sessions.
    uuid::Uuid::try_parse(&id).ok()?;
    SessionFile::at(path, &id)
}
