//! Reads the native sessions that agent CLIs keep as files of JSON lines: lists them and returns
//! their events. The adapter interprets the lines; `Transcript` builds the events.

mod transcript;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_protocol::{
    ErrorKind, ErrorObject, Event, SessionSummary, ThinkingDelta, ThinkingStarted, ThinkingStopped,
};
use serde::de::DeserializeOwned;

pub use transcript::{Call, Transcript};

/// The length of a list without a limit in the request.
const DEFAULT_LIST_LIMIT: u32 = 50;
/// The part of a session that is read for its summary.
const MAX_SUMMARY_BYTES: u64 = 256 * 1024;
/// The part of a session that is read; more would not fit a line of the protocol.
pub const MAX_SESSION_BYTES: u64 = 64 << 20;
/// The size of the returned events: well below the line limit, with escapes.
const MAX_EVENT_BYTES: usize = 8 << 20;

/// The format of an agent CLI's sessions: where the files are, and what their lines mean.
/// [`SessionStore::of`](crate::SessionStore::of) turns it into `sessions/list` and `sessions/read`.
pub trait SessionFormat: SessionLine {
    /// Returns the files below the settings folder; `cwd` may narrow the search.
    fn files(config_dir: &Path, cwd: Option<&str>) -> Vec<SessionFile>;
    /// Maps the lines of one session to events.
    fn to_events(lines: &mut dyn Iterator<Item = Self>) -> Vec<Event>;
}

/// A line of a session's file: the fields of a summary.
pub trait SessionLine: DeserializeOwned {
    /// The working directory of the session.
    fn cwd(&self) -> Option<String>;
    /// The model from this line on.
    fn model(&self) -> Option<String>;
    /// A title, or the first message of the user.
    fn title(&self) -> Option<String>;
}

/// A session's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    id: String,
    path: PathBuf,
    updated_at: u64,
}

impl SessionFile {
    /// Returns the file of the session with this id; `None` for a file that is not `.jsonl`.
    pub fn at(path: PathBuf, id: &str) -> Option<Self> {
        if path.extension()? != "jsonl" {
            return None;
        }
        let metadata = path.metadata().ok().filter(|metadata| metadata.is_file())?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let updated_at = u64::try_from(modified.as_millis()).ok()?;
        Some(Self { id: id.to_owned(), path, updated_at })
    }

    /// Returns a file that is named after the UUID of its session; `None` for other files.
    pub fn named_by_uuid(path: PathBuf) -> Option<Self> {
        let id = path.file_stem()?.to_str()?.to_owned();
        uuid::Uuid::try_parse(&id).ok()?;
        Self::at(path, &id)
    }

    /// Iterates over the lines that can be parsed; the last one may be incomplete.
    fn lines<L: SessionLine>(&self, limit: u64) -> io::Result<impl Iterator<Item = L>> {
        let lines = BufReader::new(File::open(&self.path)?.take(limit)).split(b'\n');
        Ok(lines.map_while(Result::ok).filter_map(|line| serde_json::from_slice(&line).ok()))
    }

    fn summary<L: SessionLine>(&self) -> SessionSummary {
        let mut summary = SessionSummary {
            id: self.id.clone(),
            cwd: None,
            title: None,
            updated_at: Some(self.updated_at),
            model: None,
        };
        for line in self.lines::<L>(MAX_SUMMARY_BYTES).into_iter().flatten() {
            summary.cwd = summary.cwd.or_else(|| line.cwd());
            summary.model = line.model().or(summary.model);
            summary.title = summary.title.or_else(|| line.title());
        }
        summary
    }
}

/// Lists a folder; empty when it does not exist.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Returns the folders in `projects` that belong to a working directory; all of them without one. Their
/// names have a dash for every character that is not an ASCII letter or digit, so different
/// directories may share a folder.
pub fn project_folders(projects: &Path, cwd: Option<&str>) -> Vec<PathBuf> {
    let name = cwd.map(|cwd| {
        let dashed = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
        dashed.collect::<String>()
    });
    let folders = entries(projects).into_iter();
    // Some agent CLIs write the names in lower case on Windows.
    let is_match = |folder: &PathBuf| match (&name, folder.file_name()) {
        (None, _) => true,
        (Some(name), found) => found.is_some_and(|found| found.eq_ignore_ascii_case(name)),
    };
    folders.filter(is_match).collect()
}

/// Lists the sessions of these files, the newest first. The working directory is compared with the
/// one inside the session, because file names are not reliable.
pub fn list<L: SessionLine>(
    mut files: Vec<SessionFile>,
    list_sessions_params: &ListSessionsParams,
) -> ListSessionsResult {
    let ListSessionsParams { cwd, limit } = list_sessions_params;
    files.sort_by(|one, other| other.updated_at.cmp(&one.updated_at).then(one.id.cmp(&other.id)));
    let summaries = files.iter().map(SessionFile::summary::<L>);
    let sessions = summaries.filter(|summary| cwd.is_none() || summary.cwd == *cwd);
    ListSessionsResult { sessions: sessions.take(self::limit(*limit)).collect() }
}

/// Reads one session of these files as events.
///
/// # Errors
/// `session_unknown` when no file has the id, or the file cannot be read.
pub fn read<L: SessionLine>(
    files: &[SessionFile],
    read_session_params: &ReadSessionParams,
    to_events: impl FnOnce(&mut dyn Iterator<Item = L>) -> Vec<Event>,
) -> Result<ReadSessionResult, ErrorObject> {
    let id = &read_session_params.id;
    let file = files.iter().find(|file| file.id == *id).ok_or_else(|| unknown(id, "not found"))?;
    let mut lines =
        file.lines(MAX_SESSION_BYTES).map_err(|error| unknown(id, &error.to_string()))?;
    Ok(reply(file.summary::<L>(), to_events(&mut lines)))
}

/// Returns the reply with the newest events that fit.
pub fn reply(session: SessionSummary, events: Vec<Event>) -> ReadSessionResult {
    let (events, truncated) = newest(events, MAX_EVENT_BYTES);
    ReadSessionResult { session, events, truncated }
}

/// Returns the error for a session that does not exist or cannot be read.
pub fn unknown(id: &str, reason: &str) -> ErrorObject {
    ErrorObject::new(ErrorKind::SessionUnknown, format!("session {id:?}: {reason}"))
        .with_hint("`sessions/list` lists the sessions of this machine")
}

/// Returns the length of a list.
pub fn limit(requested: Option<u32>) -> usize {
    requested.unwrap_or(DEFAULT_LIST_LIMIT) as usize
}

/// Returns the lines of the last branch, from the first line to the last. When a user goes back and
/// writes another message, a line names its parent; abandoned branches are left out.
pub fn last_branch<L>(lines: &[L], id: fn(&L) -> &str, parent: fn(&L) -> Option<&str>) -> Vec<&L> {
    let by_id: HashMap<&str, &L> = lines.iter().map(|line| (id(line), line)).collect();
    let mut branch = Vec::new();
    let mut seen = HashSet::new();
    let mut next = lines.last();
    while let Some(line) = next.filter(|line| seen.insert(id(line))) {
        branch.push(line);
        next = parent(line).and_then(|parent| by_id.get(parent).copied());
    }
    branch.reverse();
    branch
}

/// Returns the events of a complete thought.
pub fn whole_thought(thinking_id: &str, text: &str) -> [Event; 3] {
    let thinking_id = thinking_id.to_owned();
    let delta =
        ThinkingDelta { thinking_id: thinking_id.clone(), text: text.to_owned(), truncated: None };
    [
        Event::ThinkingStarted(ThinkingStarted { thinking_id: thinking_id.clone() }),
        Event::ThinkingDelta(delta),
        Event::ThinkingStopped(ThinkingStopped { thinking_id }),
    ]
}

/// Returns the newest events that fit, and whether some were left out.
fn newest(mut events: Vec<Event>, limit: usize) -> (Vec<Event>, bool) {
    let size = |event: &Event| serde_json::to_vec(event).map_or(0, |json| json.len() + 1);
    let mut left = limit;
    let kept = events.iter().rev().take_while(|event| {
        let fits = left.checked_sub(size(event));
        left = fits.unwrap_or_default();
        fits.is_some()
    });
    let dropped = events.len() - kept.count();
    events.drain(..dropped);
    (events, dropped > 0)
}

#[cfg(test)]
mod tests {
    use od_protocol::UserMessage;

    use super::*;

    #[derive(serde::Deserialize)]
    struct Line {
        cwd: Option<String>,
        text: Option<String>,
    }

    impl SessionLine for Line {
        fn cwd(&self) -> Option<String> {
            self.cwd.clone()
        }

        fn model(&self) -> Option<String> {
            None
        }

        fn title(&self) -> Option<String> {
            self.text.clone()
        }
    }

    fn to_events(lines: &mut dyn Iterator<Item = Line>) -> Vec<Event> {
        lines
            .filter_map(|line| Some(Event::UserMessage(UserMessage { text: line.text? })))
            .collect()
    }

    #[test]
    fn sessions_listed_by_folder_and_read_by_id() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a file");
        };
        write("a.jsonl", "{\"cwd\":\"/one\"}\nnoise\n{\"text\":\"hi\"}\n{\"text\":\"to");
        write("b.jsonl", "{\"cwd\":\"/two\"}\n");
        write("c.txt", "{}");
        let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let files: Vec<SessionFile> = entries(folder.path())
            .into_iter()
            .filter_map(|path| SessionFile::at(path.clone(), &stem(&path)?))
            .collect();
        assert_eq!(files.len(), 2);
        let cwd = Some("/one".to_owned());
        let list = list::<Line>(files.clone(), &ListSessionsParams { cwd, limit: None }).sessions;
        assert_eq!((list.len(), list[0].title.as_deref()), (1, Some("hi")));
        let params = |id: &str| ReadSessionParams { id: id.to_owned(), cwd: None };
        let result = read(&files, &params("a"), to_events).expect("it exists");
        assert_eq!((result.events.len(), result.truncated), (1, false));
        let error = read(&files, &params("c"), to_events).expect_err("not a session");
        assert_eq!(error.kind(), ErrorKind::SessionUnknown);
    }

    #[test]
    fn last_branch_skips_abandoned_lines_and_cycles() {
        let branch = |lines: &[(&'static str, Option<&'static str>)]| {
            let branch = last_branch(lines, |line| line.0, |line| line.1);
            branch.into_iter().map(|line| line.0).collect::<String>()
        };
        assert_eq!(branch(&[("a", None), ("b", Some("a")), ("c", Some("a"))]), "ac");
        assert_eq!(branch(&[("a", Some("b")), ("b", Some("a"))]), "ab");
        assert_eq!(branch(&[]), "");
    }

    #[test]
    fn oldest_events_are_dropped_first() {
        let message = |text: &str| Event::UserMessage(UserMessage { text: text.to_owned() });
        let all = vec![message("one"), message("two")];
        assert_eq!(newest(all.clone(), 1000), (all.clone(), false));
        assert_eq!(newest(all, 50), (vec![message("two")], true));
    }
}
