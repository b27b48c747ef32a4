//! Native sessions on disk: `<config>/tmp/<project>/chats/session-<minute>-<start of the id>.jsonl`,
//! and `<config>/projects.json` for the folder of each project. Read only. What a line means to a
//! reader is in `sessions/transcript.rs`.

mod transcript;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
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

/// How many sessions a list has when nobody says.
const DEFAULT_LIMIT: u32 = 50;
/// The first line of a session is short.
const HEADER_BYTES: u64 = 4096;
/// The names of files hold the time to the minute.
const MINUTE_MS: u64 = 60_000;
/// How much of a session's id its file is named after.
const ID_CHARACTERS: usize = 8;

/// `projects.json`: the name of each folder's project.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Projects {
    projects: BTreeMap<String, String>,
}

/// A session's file, and where its session runs.
struct Chat {
    id: String,
    path: PathBuf,
    cwd: Option<String>,
}

/// The sessions in which something was said, the newest first.
pub fn list(config_dir: &Path, list_sessions_params: &ListSessionsParams) -> ListSessionsResult {
    let chats = chats(config_dir, list_sessions_params.cwd.as_deref());
    let folders: BTreeMap<&str, Option<&String>> =
        chats.iter().map(|chat| (chat.id.as_str(), chat.cwd.as_ref())).collect();
    let files = chats.iter().filter_map(|chat| SessionFile::at(chat.path.clone(), &chat.id));
    let all = ListSessionsParams { cwd: None, limit: Some(u32::MAX) };
    let mut seen = BTreeSet::new();
    // Every start of the CLI leaves a file, and every resumed session a second one.
    let told = session_files::list::<Line>(files.collect(), &all).sessions.into_iter();
    let sessions =
        told.filter(|summary| summary.title.is_some() && seen.insert(summary.id.clone()));
    let with_folder = sessions.map(|summary| SessionSummary {
        cwd: folders.get(summary.id.as_str()).and_then(|cwd| cwd.cloned()),
        ..summary
    });
    let limit = list_sessions_params.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    ListSessionsResult { sessions: with_folder.take(limit).collect() }
}

/// One session, as events.
///
/// # Errors
/// `session_unknown` when there is none of that id, or it cannot be read.
pub fn read(
    config_dir: &Path,
    read_sessions_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    let ReadSessionParams { id, cwd } = read_sessions_params;
    let mut chats = chats(config_dir, cwd.as_deref());
    chats.retain(|chat| chat.id == *id);
    // The file in which most was said is the session; the others are starts of the CLI.
    chats.sort_by_key(|chat| std::cmp::Reverse(chat.path.metadata().map_or(0, |file| file.len())));
    let files: Vec<SessionFile> =
        chats.iter().filter_map(|chat| SessionFile::at(chat.path.clone(), &chat.id)).collect();
    let mut result = session_files::read::<Line>(&files, read_sessions_params, |lines| {
        let mut transcript = Transcript::default();
        lines.for_each(|line| transcript.on_line(line));
        transcript.into_events()
    })?;
    result.session.cwd = chats.first().and_then(|chat| chat.cwd.clone());
    Ok(result)
}

/// How long a session must rest before it can be loaded over ACP, if it must.
///
/// The CLI gives a loaded session a file of its own, named by the minute. Within the minute of the
/// session's own file that is the same file, and everything said before is lost (seen with 0.61.0).
pub fn rest_ms(config_dir: &Path, session_id: &str, now_ms: u64) -> Option<u64> {
    let start: String = session_id.chars().take(ID_CHARACTERS).collect();
    let projects = entries(&config_dir.join("tmp"));
    let files = projects.iter().flat_map(|project| entries(&project.join("chats")));
    let begun = files.filter_map(|file| began_at(file.file_name()?.to_str()?, &start));
    let free_at = begun.max()?.checked_add(MINUTE_MS)?;
    free_at.checked_sub(now_ms).filter(|rest| *rest > 0)
}

/// The minute in a file's name.
fn began_at(name: &str, id_start: &str) -> Option<u64> {
    let rest = name.strip_prefix("session-")?.strip_suffix(".jsonl")?;
    let minute = rest.strip_suffix(id_start)?.strip_suffix('-')?;
    let (hour, minutes) = minute.rsplit_once('-')?;
    rfc3339_millis(&format!("{hour}:{minutes}:00Z"))
}

fn chats(config_dir: &Path, cwd: Option<&str>) -> Vec<Chat> {
    let known = fs::read(config_dir.join("projects.json")).unwrap_or_default();
    let Projects { projects } = serde_json::from_slice(&known).unwrap_or_default();
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
    file.take(HEADER_BYTES).read_until(b'\n', &mut line).ok()?;
    serde_json::from_slice(&line).ok()
}
