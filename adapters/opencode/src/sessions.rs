//! Lists and reads native sessions with the commands `opencode session list` and `opencode export`.
//! The server returns the same objects. OpenCode's database is never opened.
//!
//! The commands cover one project: a Git repository, or all folders outside of repositories.

mod transcript;

use std::time::Duration;

use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_protocol::{ErrorKind, ErrorObject, Manifest, SessionSummary};
use serde::Deserialize;

use super::native::{SessionInfo, SessionMessage};
use od_sdk::probe::cli_query::declared_env;
use od_sdk::probe::command::{Answer, CliCommand, End};
use od_sdk::session_files::{self, MAX_SESSION_BYTES};
use od_sdk::{Install, Machine};
use transcript::to_events;

/// `sessions/list` and `sessions/read` time out after 15 s; a command takes 2 s on an idle machine.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(13);
/// The command writes this to stderr when the session does not exist.
const UNKNOWN_SESSION: &str = "Session not found";
/// OpenCode writes this while another of its processes uses the database.
const LOCKED: &str = "database is locked";

/// An exported session.
#[derive(Debug, Deserialize)]
struct Export {
    info: SessionInfo,
    messages: Vec<SessionMessage>,
}

/// Lists the sessions of the folder's project with the agent CLI.
///
/// # Errors
/// `cli_crashed` if the command fails or times out.
pub fn list(
    manifest: &Manifest,
    install: &Install,
    machine: &Machine,
    list_sessions_params: &ListSessionsParams,
) -> Result<ListSessionsResult, ErrorObject> {
    let cwd = list_sessions_params.cwd.as_deref();
    let args = ["session", "list", "--format", "json", "--pure"];
    let answer = Cli { manifest, install, machine }.call(&args, cwd)?;
    // Without any session the command prints nothing.
    let is_empty = answer.stdout.is_empty() && answer.end == End::Exited(Some(0));
    let json = if is_empty { b"[]".as_slice() } else { &answer.stdout };
    parse_list(json, list_sessions_params).ok_or_else(|| crashed(&args, &answer))
}

/// Reads one session with the agent CLI.
///
/// # Errors
/// `session_unknown` for an unknown id; `cli_crashed` if the command fails or times out.
pub fn read(
    manifest: &Manifest,
    install: &Install,
    machine: &Machine,
    read_session_params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    let ReadSessionParams { id, cwd } = read_session_params;
    if !is_session_id(id) {
        return Err(session_files::unknown(id, "not found"));
    }
    let args = ["export", id, "--pure"];
    let answer = Cli { manifest, install, machine }.call(&args, cwd.as_deref())?;
    match serde_json::from_slice(&answer.stdout) {
        Ok(Export { info, messages }) => Ok(session_events(info, &messages)),
        Err(_) if String::from_utf8_lossy(&answer.stderr).contains(UNKNOWN_SESSION) => {
            Err(session_files::unknown(id, "not found"))
        }
        Err(_) => Err(crashed(&args, &answer)),
    }
}

/// Parses a list of the command or of the server, newest session first; `None` if it is not a list.
/// Sessions of subagents are left out.
pub fn parse_list(
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

/// Maps a session and its messages to events.
pub fn session_events(info: SessionInfo, messages: &[SessionMessage]) -> ReadSessionResult {
    session_files::reply(summary(info), to_events(messages))
}

/// Whether a text can be a session id; anything else must not reach a command line or a path.
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

/// The agent CLI, called outside of runs.
struct Cli<'a> {
    manifest: &'a Manifest,
    install: &'a Install,
    machine: &'a Machine,
}

impl Cli<'_> {
    fn call(&self, args: &[&str], cwd: Option<&str>) -> Result<Answer, ErrorObject> {
        let mut env = declared_env(self.manifest, self.machine);
        env.insert("OPENCODE_DISABLE_AUTOUPDATE".to_owned(), "1".to_owned());
        CliCommand { args, env, cwd, limit: COMMAND_TIMEOUT, max_bytes: MAX_SESSION_BYTES }
            .output(self.install, self.machine)
            .map_err(|error| failure(args, &format!("could not be started: {error}")))
    }
}

fn crashed(args: &[&str], answer: &Answer) -> ErrorObject {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    let last = stderr.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let why = match answer.end {
        End::TimedOut => format!("did not answer within {} s", COMMAND_TIMEOUT.as_secs()),
        End::Exited(Some(0)) => "printed something other than JSON of sessions".to_owned(),
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
