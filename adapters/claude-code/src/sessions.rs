//! Native sessions on disk: `<config>/projects/<folder>/<session>.jsonl`, one line a message.
//! Read only. What a line means to a reader is in `sessions/transcript.rs`.

mod transcript;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use od_protocol::{
    ErrorKind, ErrorObject, ListSessionsParams, ListSessionsResult, ReadSessionsParams,
    ReadSessionsResult, SessionSummary,
};

use transcript::{Line, Transcript};

/// How many sessions a list has when nobody says.
const DEFAULT_LIMIT: u32 = 50;
/// How much of a session is looked at for its title.
const TITLE_BYTES: u64 = 256 * 1024;
/// How much of a session is read; more would not fit a line of the protocol.
const SESSION_BYTES: u64 = 64 << 20;
/// How much of it is told: well below the line limit, escapes included.
const EVENT_BYTES: usize = 8 << 20;

/// A session's file.
#[derive(Debug)]
struct SessionFile {
    id: String,
    path: PathBuf,
    updated_at: u64,
}

/// The sessions, the newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    let limit = list_sessions_params.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    let mut files = files(config_dir, list_sessions_params.cwd.as_deref());
    files.sort_by(|one, other| other.updated_at.cmp(&one.updated_at).then(one.id.cmp(&other.id)));
    let sessions = files.iter().map(summary).filter(|summary| {
        // Different folders may share a name: every odd character becomes a dash.
        list_sessions_params.cwd.is_none() || summary.cwd == list_sessions_params.cwd
    });
    ListSessionsResult { sessions: sessions.take(limit).collect() }
}

/// One session, as events.
///
/// # Errors
/// `session_unknown` when there is none of that id, or it cannot be read.
pub fn read(
    config_dir: &Path,
    read_sessions_params: &ReadSessionsParams,
) -> Result<ReadSessionsResult, ErrorObject> {
    let ReadSessionsParams { id, cwd } = read_sessions_params;
    let unknown = |reason: &str| {
        ErrorObject::new(ErrorKind::SessionUnknown, format!("session {id:?}: {reason}"))
            .with_hint("`sessions/list` names the sessions of this machine")
    };
    let files = files(config_dir, cwd.as_deref());
    let file = files.iter().find(|file| file.id == *id).ok_or_else(|| unknown("not found"))?;
    let handle = File::open(&file.path).map_err(|error| unknown(&error.to_string()))?;
    let mut transcript = Transcript::default();
    for line in lines(handle, SESSION_BYTES) {
        transcript.on_line(line);
    }
    let (events, truncated) = transcript.into_events(EVENT_BYTES);
    Ok(ReadSessionsResult { session: summary(file), events, truncated })
}

/// The folder of a cwd: every character that is no ASCII letter or digit becomes a dash.
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

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn session_file(path: PathBuf) -> Option<SessionFile> {
    let id = path.file_stem()?.to_str()?.to_owned();
    // Logs of subagents sit beside the sessions.
    uuid::Uuid::try_parse(&id).ok()?;
    let metadata = path.metadata().ok().filter(|metadata| metadata.is_file())?;
    if path.extension()? != "jsonl" {
        return None;
    }
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let updated_at = u64::try_from(modified.as_millis()).ok()?;
    Some(SessionFile { id, path, updated_at })
}

fn summary(file: &SessionFile) -> SessionSummary {
    let mut summary = SessionSummary {
        id: file.id.clone(),
        cwd: None,
        title: None,
        updated_at: Some(file.updated_at),
        model: None,
    };
    let Ok(handle) = File::open(&file.path) else { return summary };
    for line in lines(handle, TITLE_BYTES) {
        summary.cwd = summary.cwd.or_else(|| line.cwd.clone());
        summary.model = line.model().map(str::to_owned).or(summary.model);
        summary.title = summary.title.or_else(|| line.title());
    }
    summary
}

/// The lines that can be read; the last one may be torn.
fn lines(handle: File, limit: u64) -> impl Iterator<Item = Line> {
    BufReader::new(handle.take(limit))
        .split(b'\n')
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_slice(&line).ok())
}
