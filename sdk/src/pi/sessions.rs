//! Native sessions on disk: `<settings>/sessions/<folder>/<time>_<id>.jsonl`, one entry a line.
//! Read only. What the entries mean to a reader is in `sessions/transcript.rs`.

mod transcript;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use od_protocol::{
    ErrorKind, ErrorObject, ListSessionsParams, ListSessionsResult, ReadSessionsParams,
    ReadSessionsResult, SessionSummary,
};

use transcript::{Entry, Transcript};

/// How many sessions a list has when nobody says.
const DEFAULT_LIMIT: u32 = 50;
/// How much of a session is looked at for its title; the first message may repeat a long prompt of
/// the CLI's own.
const TITLE_BYTES: u64 = 256 * 1024;
/// How much of a session is read; more would not fit a line of the protocol.
const SESSION_BYTES: u64 = 64 << 20;
/// How much of it is told: well below the line limit, escapes included.
const EVENT_BYTES: usize = 8 << 20;

/// A session's file.
#[derive(Debug)]
struct SessionFile {
    path: PathBuf,
    updated_at: u64,
}

/// The sessions, the newest first. `cwd` is compared with what a session says of itself, since
/// different folders may share a name on disk.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    let limit = list_sessions_params.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    let cwd = &list_sessions_params.cwd;
    let sessions = files(config_dir)
        .into_iter()
        .filter_map(|file| summary(&file))
        .filter(|summary| cwd.is_none() || summary.cwd == *cwd);
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
    let ends = format!("_{id}.jsonl");
    let is_it = |file: &SessionFile| {
        file.path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.ends_with(&ends))
    };
    let session = files(config_dir)
        .into_iter()
        .filter(is_it)
        .filter_map(|file| Some((summary(&file)?, file)))
        .find(|(summary, _)| summary.id == *id && (cwd.is_none() || summary.cwd == *cwd));
    let (summary, file) = session.ok_or_else(|| unknown("not found"))?;
    let handle = File::open(&file.path).map_err(|error| unknown(&error.to_string()))?;
    let transcript = Transcript::new(entries(handle, SESSION_BYTES));
    let (events, truncated) = transcript.into_events(EVENT_BYTES);
    Ok(ReadSessionsResult { session: summary, events, truncated })
}

/// Every session's file, the newest first.
fn files(config_dir: &Path) -> Vec<SessionFile> {
    let folders = paths(&config_dir.join("sessions"));
    let mut files: Vec<SessionFile> =
        folders.iter().flat_map(|folder| paths(folder)).filter_map(session_file).collect();
    files.sort_by(|one, other| {
        other.updated_at.cmp(&one.updated_at).then_with(|| one.path.cmp(&other.path))
    });
    files
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn session_file(path: PathBuf) -> Option<SessionFile> {
    if path.extension()? != "jsonl" {
        return None;
    }
    let metadata = path.metadata().ok().filter(|metadata| metadata.is_file())?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let updated_at = u64::try_from(modified.as_millis()).ok()?;
    Some(SessionFile { path, updated_at })
}

/// `None` for a file that is no session.
fn summary(file: &SessionFile) -> Option<SessionSummary> {
    let handle = File::open(&file.path).ok()?;
    let mut summary = SessionSummary {
        id: String::new(),
        cwd: None,
        title: None,
        updated_at: Some(file.updated_at),
        model: None,
    };
    for entry in entries(handle, TITLE_BYTES) {
        if entry.kind == "session" {
            summary.id.clone_from(&entry.id);
            summary.cwd.clone_from(&entry.cwd);
        }
        summary.model = entry.model().or(summary.model);
        summary.title = summary.title.or_else(|| entry.title());
    }
    (!summary.id.is_empty()).then_some(summary)
}

/// The entries that can be read; the last one may be torn.
fn entries(handle: File, limit: u64) -> impl Iterator<Item = Entry> {
    BufReader::new(handle.take(limit))
        .split(b'\n')
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_slice(&line).ok())
}
