//! Native sessions: in the words of the command `opencode`, which lists and exports them, or of the
//! server, which has the same objects. The database behind both is nobody else's business.
//!
//! The commands look at one project: a Git repository, or all folders that are in none.

mod transcript;

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use od_protocol::{
    ErrorKind, ErrorObject, ListSessionsParams, ListSessionsResult, Manifest, ReadSessionsParams,
    ReadSessionsResult, SessionSummary,
};
use serde::Deserialize;

use super::native::{SessionInfo, SessionMessage};
use crate::probe::ask::{Answer, End, Question, Words, ask_saying};
use crate::probe::converse::declared_env;
use crate::session_files::{self, SESSION_BYTES};
use crate::{Install, Machine};
use transcript::tell;

/// `sessions/list` and `sessions/read` have fifteen seconds; a command takes two on an idle machine.
const LIMIT: Duration = Duration::from_secs(13);
/// How the command says on stderr that there is no such session.
const UNKNOWN: &str = "Session not found";

/// How it says that another of its processes is at work.
const LOCKED: &str = "database is locked";

/// An exported session.
#[derive(Debug, Deserialize)]
struct Export {
    info: SessionInfo,
    messages: Vec<SessionMessage>,
}

/// Asks the agent CLI for its sessions: those of the folder's project, or of the folders that are in
/// none.
///
/// # Errors
/// `cli_crashed` when it lists none in time.
pub fn ask_sessions(
    manifest: &Manifest,
    install: &Install,
    machine: &Machine,
    list_sessions_params: &ListSessionsParams,
) -> Result<ListSessionsResult, ErrorObject> {
    let cwd = list_sessions_params.cwd.as_deref();
    let args = ["session", "list", "--format", "json", "--pure"];
    let answer = Command { manifest, install, machine }.ask(&args, cwd)?;
    // Without any session it says nothing.
    let says_nothing = answer.stdout.is_empty() && answer.end == End::Exited(Some(0));
    let json = if says_nothing { b"[]".as_slice() } else { &answer.stdout };
    listed_sessions(json, list_sessions_params).ok_or_else(|| crashed(&args, &answer))
}

/// Asks the agent CLI for one session.
///
/// # Errors
/// `session_unknown` when there is none of that id, `cli_crashed` when it does not come in time.
pub fn ask_session(
    manifest: &Manifest,
    install: &Install,
    machine: &Machine,
    read_sessions_params: &ReadSessionsParams,
) -> Result<ReadSessionsResult, ErrorObject> {
    let ReadSessionsParams { id, cwd } = read_sessions_params;
    if !is_session_id(id) {
        return Err(session_files::unknown(id, "not found"));
    }
    let args = ["export", id, "--pure"];
    let answer = Command { manifest, install, machine }.ask(&args, cwd.as_deref())?;
    match serde_json::from_slice(&answer.stdout) {
        Ok(Export { info, messages }) => Ok(told_session(info, &messages)),
        Err(_) if String::from_utf8_lossy(&answer.stderr).contains(UNKNOWN) => {
            Err(session_files::unknown(id, "not found"))
        }
        Err(_) => Err(crashed(&args, &answer)),
    }
}

/// The sessions in a list of the command or of the server, the newest first; `None` when it is none.
/// What a helper did is a part of the session that started it.
pub fn listed_sessions(
    json: &[u8],
    list_sessions_params: &ListSessionsParams,
) -> Option<ListSessionsResult> {
    let ListSessionsParams { cwd, limit } = list_sessions_params;
    let infos: Vec<SessionInfo> = serde_json::from_slice(json).ok()?;
    let own = infos.into_iter().filter(|info| info.parent_id.is_none()).map(summary);
    let mut sessions: Vec<SessionSummary> =
        own.filter(|session| cwd.is_none() || session.cwd == *cwd).collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.updated_at));
    sessions.truncate(session_files::limit(*limit));
    Some(ListSessionsResult { sessions })
}

/// A session and its messages, as events.
pub fn told_session(info: SessionInfo, messages: &[SessionMessage]) -> ReadSessionsResult {
    session_files::told(summary(info), tell(messages))
}

/// Whether a text can be the id of a session: nothing else may reach a command line or a path.
pub fn is_session_id(id: &str) -> bool {
    id.strip_prefix("ses_").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphanumeric()))
}

fn summary(info: SessionInfo) -> SessionSummary {
    SessionSummary {
        updated_at: info.updated.or(info.time.updated).map(|time| time as u64),
        model: info.model.map(|model| format!("{}/{}", model.provider_id, model.id)),
        id: info.id,
        cwd: info.directory,
        title: info.title,
    }
}

/// The agent CLI, asked outside of runs.
struct Command<'a> {
    manifest: &'a Manifest,
    install: &'a Install,
    machine: &'a Machine,
}

impl Command<'_> {
    fn ask(&self, args: &[&str], cwd: Option<&str>) -> Result<Answer, ErrorObject> {
        let mut env = declared_env(self.manifest, self.machine);
        env.insert("OPENCODE_DISABLE_AUTOUPDATE".to_owned(), "1".to_owned());
        let cwd = cwd.map(Path::new).filter(|cwd| cwd.is_dir()).map(Path::to_owned);
        let question = Question { cwd, ..Question::to_cli(self.install, args, LIMIT) };
        self.ask_whole(&question, env)
            .map_err(|error| failure(args, &format!("could not be started: {error}")))
    }

    /// Of more than 128 KiB it loses the end when stdout is a pipe, since it does not wait for the
    /// reader before it exits (seen with 1.18.33); a file takes everything.
    fn ask_whole(
        &self,
        question: &Question<'_>,
        env: BTreeMap<String, String>,
    ) -> io::Result<Answer> {
        let mut file = tempfile::tempfile()?;
        let words = Words { env, stdout: Some(file.try_clone()?), ..Words::default() };
        let mut answer = ask_saying(question, self.machine, words)?;
        file.seek(SeekFrom::Start(0))?;
        file.take(SESSION_BYTES).read_to_end(&mut answer.stdout)?;
        Ok(answer)
    }
}

fn crashed(args: &[&str], answer: &Answer) -> ErrorObject {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let last = stderr.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let why = match answer.end {
        End::TimedOut => format!("gave no answer within {} s", LIMIT.as_secs()),
        End::Exited(Some(0)) => "gave an answer that is no JSON of sessions".to_owned(),
        End::Exited(_) | End::Flooded => format!("failed: {last}"),
    };
    let mut error = failure(args, &why);
    if let Some(data) = &mut error.data {
        data.retryable = answer.end == End::TimedOut || last.contains(LOCKED);
    }
    error
}

fn failure(args: &[&str], why: &str) -> ErrorObject {
    let command = format!("opencode {}", args.join(" "));
    ErrorObject::new(ErrorKind::CliCrashed, format!("`{command}` {why}"))
        .with_hint(format!("try it by hand: {command}"))
}
