//! Native sessions on disk: `<config>/tmp/<project>/chats/session-<minute>-<start of the id>.jsonl`,
//! and `<config>/projects.json` for the folder of each project. Read only.
//! `sessions/transcript.rs` maps the lines.

mod transcript;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_protocol::{ErrorObject, SessionSummary};
use od_sdk::auth::rfc3339_millis;
use od_sdk::session_files::{self, SessionFile, entries};
use serde::Deserialize;

use transcript::{Header, Line, Transcript};

/// Default number of listed sessions.
const DEFAULT_LIMIT: u32 = 50;
/// Limit on the first line of a session file.
const MAX_HEADER_BYTES: u64 = 4096;
/// File names contain the time in minutes.
const MINUTE_MS: u64 = 60_000;
/// Number of characters of the session id in a file name.
const FILE_NAME_ID_CHARS: usize = 8;

/// `projects.json`: the project name of each folder.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Projects {
    projects: BTreeMap<String, String>,
}

/// A session file and the session's working folder.
struct Chat {
    id: String,
    path: PathBuf,
    cwd: Option<String>,
}

/// Lists the sessions with at least one prompt, newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    let chats = chats(config_dir, list_sessions_params.cwd.as_deref());
    let folders: BTreeMap<&str, Option<&String>> =
        chats.iter().map(|chat| (chat.id.as_str(), chat.cwd.as_ref())).collect();
    let files = chats.iter().filter_map(|chat| SessionFile::at(chat.path.clone(), &chat.id));
    let all = ListSessionsParams { cwd: None, limit: Some(u32::MAX) };
    let mut seen = BTreeSet::new();
    // Every start of the CLI creates a file, and every resumed session a second one.
    let listed = session_files::list::<Line>(files.collect(), &all).sessions.into_iter();
    let sessions =
        listed.filter(|summary| summary.title.is_some() && seen.insert(summary.id.clone()));
    let with_folder = sessions.map(|summary| SessionSummary {
        cwd: folders.get(summary.id.as_str()).and_then(|cwd| cwd.cloned()),
        ..summary
    });
    let limit = list_sessions_params.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    ListSessionsResult { sessions: with_folder.take(limit).collect() }
}

/// Reads one session as events.
///
/// # Errors
/// `session_unknown` when no session has that id or its file cannot be read.
pub fn read(
    config_dir: &Path,
    read_session_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    let ReadSessionParams { id, cwd } = read_session_params;
    let mut chats = chats(config_dir, cwd.as_deref());
    chats.retain(|chat| chat.id == *id);
    // The largest file is the session; the others are from starts of the CLI without a prompt.
    chats.sort_by_key(|chat| std::cmp::Reverse(chat.path.metadata().map_or(0, |file| file.len())));
    let files: Vec<SessionFile> =
        chats.iter().filter_map(|chat| SessionFile::at(chat.path.clone(), &chat.id)).collect();
    let mut result = session_files::read::<Line>(&files, read_session_params, |lines| {
        let mut transcript = Transcript::default();
        lines.for_each(|line| transcript.on_line(line));
        transcript.into_events()
    })?;
    result.session.cwd = chats.first().and_then(|chat| chat.cwd.clone());
    Ok(result)
}

/// Returns how long to wait before the session can be loaded over ACP.
///
/// The CLI writes a loaded session to a new file named by the minute. Within the minute of the
/// session's first file both names are equal, and the CLI overwrites the history (seen with 0.61.0).
pub fn reload_delay_ms(config_dir: &Path, session_id: &str, now_ms: u64) -> Option<u64> {
    let start: String = session_id.chars().take(FILE_NAME_ID_CHARS).collect();
    let projects = entries(&config_dir.join("tmp"));
    let files = projects.iter().flat_map(|project| entries(&project.join("chats")));
    let start_times = files.filter_map(|file| started_at(file.file_name()?.to_str()?, &start));
    let free_at = start_times.max()?.checked_add(MINUTE_MS)?;
    free_at.checked_sub(now_ms).filter(|delay| *delay > 0)
}

/// Parses the minute in a file name.
fn started_at(name: &str, id_start: &str) -> Option<u64> {
    let rest = name.strip_prefix("session-")?.strip_suffix(".jsonl")?;
    let minute = rest.strip_suffix(id_start)?.strip_suffix('-')?;
    let (hour, minutes) = minute.rsplit_once('-')?;
    rfc3339_millis(&format!("{hour}:{minutes}:00Z"))
}

fn chats(config_dir: &Path, cwd: Option<&str>) -> Vec<Chat> {
    let known = od_sdk::files::read_text(&config_dir.join("projects.json")).unwrap_or_default();
    let Projects { projects } = serde_json::from_str(&known).unwrap_or_default();
    let folder_of = |project: &Path| {
        let name = project.file_name()?.to_str()?;
        projects.iter().find(|(_, slug)| *slug == name).map(|(folder, _)| folder.clone())
    };
    let mut chats = Vec::new();
    for project in entries(&config_dir.join("tmp")) {
        let folder = folder_of(&project);
        if cwd.is_some() && folder.as_deref() != cwd {
            continue;
        }
        let files = entries(&project.join("chats")).into_iter();
        chats.extend(files.filter_map(|path| {
            Some(Chat { id: header(&path)?.session_id, path, cwd: folder.clone() })
        }));
    }
    chats
}

fn header(path: &Path) -> Option<Header> {
    let mut line = Vec::new();
    let file = BufReader::new(File::open(path).ok()?);
    file.take(MAX_HEADER_BYTES).read_until(b'\n', &mut line).ok()?;
    serde_json::from_slice(&line).ok()
}
