//! Native sessions that agent CLIs keep as files of JSON lines: which there are, what they say, and
//! how much of it fits a reply. Read only; what a line means is the adapter's business, and how it
//! is told is in `session_files/transcript.rs`.

mod transcript;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use od_protocol::adapter::{ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult};
use od_protocol::{ErrorKind, ErrorObject, Event, SessionSummary, ThinkingDelta, ThinkingStarted, ThinkingStopped};
use serde::de::DeserializeOwned;

pub use transcript::{Call, Transcript};

/// How many sessions a list has when nobody says.
const DEFAULT_LIMIT: u32 = 50;
/// How much of a session is looked at for its summary.
const SUMMARY_BYTES: u64 = 256 * 1024;
/// How much of a session is read; more would not fit a line of the protocol.
pub const SESSION_BYTES: u64 = 64 << 20;
/// How much of it is told: well below the line limit, escapes included.
const EVENT_BYTES: usize = 8 << 20;

/// A line of a session's file, as far as a summary needs it.
pub trait SessionLine: DeserializeOwned {
    /// Where the session runs.
    fn cwd(&self) -> Option<String>;
    /// The model that answers from here on.
    fn model(&self) -> Option<String>;
    /// A title, or what a person said first.
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
    /// The file at a path, of the session with this id; `None` when it is no `.jsonl` file.
    pub fn at(path: PathBuf, id: &str) -> Option<Self> {
        if path.extension()? != "jsonl" {
            return None;
        }
        let metadata = path.metadata().ok().filter(|metadata| metadata.is_file())?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let updated_at = u64::try_from(modified.as_millis()).ok()?;
        Some(Self { id: id.to_owned(), path, updated_at })
    }

    /// The file at a path that is named after its session's UUID; `None` when it is not.
    pub fn named_by_uuid(path: PathBuf) -> Option<Self> {
        let id = path.file_stem()?.to_str()?.to_owned();
        uuid::Uuid::try_parse(&id).ok()?;
        Self::at(path, &id)
    }

    /// The lines that can be read; the last one may be torn.
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
        for line in self.lines::<L>(SUMMARY_BYTES).into_iter().flatten() {
            summary.cwd = summary.cwd.or_else(|| line.cwd());
            summary.model = line.model().or(summary.model);
            summary.title = summary.title.or_else(|| line.title());
        }
        summary
    }
}

/// What is in a folder; nothing when there is none.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The folders in `projects` that belong to a cwd: every character of it that is no ASCII letter or
/// digit is a dash in their names, so different folders may share one. Without a cwd all of them.
pub fn project_folders(projects: &Path, cwd: Option<&str>) -> Vec<PathBuf> {
    let name = cwd.map(|cwd| {
        let dashed = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
        dashed.collect::<String>()
    });
    let folders = entries(projects).into_iter();
    // Some agent CLIs write the names in lower case on Windows.
    let is_meant = |folder: &PathBuf| match (&name, folder.file_name()) {
        (None, _) => true,
        (Some(name), found) => found.is_some_and(|found| found.eq_ignore_ascii_case(name)),
    };
    folders.filter(is_meant).collect()
}

/// The sessions of these files, the newest first. A folder is compared with what a session says of
/// itself, since agent CLIs name files as they like.
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

/// One session of these files, as events.
///
/// # Errors
/// `session_unknown` when there is none of that id, or it cannot be read.
pub fn read<L: SessionLine>(
    files: &[SessionFile],
    read_sessions_params: &ReadSessionParams,
    tell: impl FnOnce(&mut dyn Iterator<Item = L>) -> Vec<Event>,
) -> Result<ReadSessionResult, ErrorObject> {
    let id = &read_sessions_params.id;
    let file = files.iter().find(|file| file.id == *id).ok_or_else(|| unknown(id, "not found"))?;
    let mut lines = file.lines(SESSION_BYTES).map_err(|error| unknown(id, &error.to_string()))?;
    Ok(told(file.summary::<L>(), tell(&mut lines)))
}

/// The reply with as many events as fit, the newest ones.
pub fn told(session: SessionSummary, events: Vec<Event>) -> ReadSessionResult {
    let (events, truncated) = newest(events, EVENT_BYTES);
    ReadSessionResult { session, events, truncated }
}

/// There is no session of this id, or it cannot be read.
pub fn unknown(id: &str, reason: &str) -> ErrorObject {
    ErrorObject::new(ErrorKind::SessionUnknown, format!("session {id:?}: {reason}"))
        .with_hint("`sessions/list` names the sessions of this machine")
}

/// How many sessions a list has.
pub fn limit(wanted: Option<u32>) -> usize {
    wanted.unwrap_or(DEFAULT_LIMIT) as usize
}

/// The lines on the way from the first one to the last: where a person went back and said something
/// else, a line names the one before it, and what was taken back is on no way.
pub fn last_branch<L>(lines: &[L], id: fn(&L) -> &str, parent: fn(&L) -> Option<&str>) -> Vec<&L> {
    let by_id: HashMap<&str, &L> = lines.iter().map(|line| (id(line), line)).collect();
    let mut way = Vec::new();
    let mut seen = HashSet::new();
    let mut next = lines.last();
    while let Some(line) = next.filter(|line| seen.insert(id(line))) {
        way.push(line);
        next = parent(line).and_then(|parent| by_id.get(parent).copied());
    }
    way.reverse();
    way
}

/// A thought that was kept whole.
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

/// All events, or the newest ones that fit; then whether some were left out.
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
        said: Option<String>,
    }

    impl SessionLine for Line {
        fn cwd(&self) -> Option<String> {
            self.cwd.clone()
        }

        fn model(&self) -> Option<String> {
            None
        }

        fn title(&self) -> Option<String> {
            self.said.clone()
        }
    }

    fn tell(lines: &mut dyn Iterator<Item = Line>) -> Vec<Event> {
        lines
            .filter_map(|line| Some(Event::UserMessage(UserMessage { text: line.said? })))
            .collect()
    }

    #[test]
    fn sessions_are_listed_by_folder_and_read_by_id() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a file");
        };
        write("a.jsonl", "{\"cwd\":\"/one\"}\nnoise\n{\"said\":\"hi\"}\n{\"said\":\"to");
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
        let result = read(&files, &params("a"), tell).expect("it is there");
        assert_eq!((result.events.len(), result.truncated), (1, false));
        let error = read(&files, &params("c"), tell).expect_err("it is none");
        assert_eq!(error.kind(), ErrorKind::SessionUnknown);
    }

    #[test]
    fn what_was_taken_back_is_on_no_way_and_a_ring_ends() {
        let way = |lines: &[(&'static str, Option<&'static str>)]| {
            let branch = last_branch(lines, |line| line.0, |line| line.1);
            branch.into_iter().map(|line| line.0).collect::<String>()
        };
        assert_eq!(way(&[("a", None), ("b", Some("a")), ("c", Some("a"))]), "ac");
        assert_eq!(way(&[("a", Some("b")), ("b", Some("a"))]), "ab");
        assert_eq!(way(&[]), "");
    }

    #[test]
    fn what_does_not_fit_is_the_oldest() {
        let said = |text: &str| Event::UserMessage(UserMessage { text: text.to_owned() });
        let all = vec![said("one"), said("two")];
        assert_eq!(newest(all.clone(), 1000), (all.clone(), false));
        assert_eq!(newest(all, 50), (vec![said("two")], true));
    }
}
