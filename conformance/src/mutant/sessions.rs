//! The sessions of `parrot` on disk: `sessions/list` and `sessions/read`. Read-only.

use std::path::PathBuf;

use od_protocol::adapter::{
    ListSessionsParams, ListSessionsResult, ReadSessionParams, ReadSessionResult,
};
use od_protocol::{
    ErrorKind, ErrorObject, Event, MessageStarted, MessageStopped, SessionSummary, TextDelta,
    UserMessage,
};
use serde_json::Value;

use super::adapter::Adapter;
use super::detect::home;
use super::fault::{Behaviour, Fault};

/// The default of `limit`.
const DEFAULT_LIMIT: u32 = 50;

/// Lists the sessions, newest first.
pub(super) fn list(adapter: &Adapter, params: &ListSessionsParams) -> ListSessionsResult {
    let behaviour = adapter.behaviour;
    if behaviour.has(Fault::SessionsWrite) {
        let _refused = std::fs::write(home().join(".parrot/sessions.index"), "{}");
    }
    let files = std::fs::read_dir(folder()).into_iter().flatten().flatten();
    let mut sessions: Vec<SessionSummary> = files
        .filter_map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            let id = name.strip_suffix(".jsonl")?;
            Some(summary(behaviour, id, lines(id)?.first()?))
        })
        .filter(|session| {
            let is_any = params.cwd.is_none() || behaviour.has(Fault::SessionsIgnoreCwd);
            is_any || session.cwd == params.cwd
        })
        .collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.updated_at));
    if behaviour.has(Fault::OldestSessionFirst) {
        sessions.reverse();
    }
    if !behaviour.has(Fault::SessionsIgnoreLimit) {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
        sessions.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    ListSessionsResult { sessions }
}

/// Reads one session as events.
pub(super) fn read(
    adapter: &Adapter,
    params: &ReadSessionParams,
) -> Result<ReadSessionResult, ErrorObject> {
    let behaviour = adapter.behaviour;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let is_safe = !params.id.is_empty() && params.id.chars().all(is_name);
    let lines = match is_safe {
        true => lines(&params.id),
        false if behaviour.has(Fault::ReadsForeignSession) => {
            let text = std::fs::read_to_string(folder().join(&params.id)).ok();
            text.map(|text| vec![serde_json::json!({"t": "user", "text": text})])
        }
        false => None,
    };
    let lines = match lines {
        None if behaviour.has(Fault::InventsSessions) => Vec::new(),
        lines => lines.ok_or_else(|| {
            let id: String = params.id.chars().take(80).collect();
            ErrorObject::new(ErrorKind::SessionUnknown, format!("unknown session {id:?}"))
                .with_hint("`sessions/list` lists the sessions")
        })?,
    };
    let header = lines.first().cloned().unwrap_or_default();
    let events = lines.iter().enumerate().flat_map(|(index, line)| events(behaviour, index, line));
    Ok(ReadSessionResult {
        session: summary(behaviour, &params.id, &header),
        events: events.collect(),
        truncated: false,
    })
}

fn folder() -> PathBuf {
    home().join(".parrot/sessions")
}

/// The lines of a session; `None` if it does not exist.
fn lines(id: &str) -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(folder().join(format!("{id}.jsonl"))).ok()?;
    Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn summary(behaviour: Behaviour, id: &str, header: &Value) -> SessionSummary {
    let text = |name: &str| header[name].as_str().map(str::to_owned);
    let divisor = if behaviour.has(Fault::SessionTimesInSeconds) { 1000 } else { 1 };
    SessionSummary {
        id: id.to_owned(),
        cwd: text("cwd"),
        title: text("title"),
        updated_at: header["updated"].as_u64().map(|updated| updated / divisor),
        model: None,
    }
}

fn events(behaviour: Behaviour, index: usize, line: &Value) -> Vec<Event> {
    let text = line["text"].as_str().unwrap_or_default().to_owned();
    let message_id = format!("message-{index}");
    match line["t"].as_str() {
        Some("user") if behaviour.has(Fault::DropsUserMessages) => Vec::new(),
        Some("user") => vec![Event::UserMessage(UserMessage { text })],
        Some("say") => vec![
            Event::MessageStarted(MessageStarted { message_id: message_id.clone() }),
            Event::TextDelta(TextDelta { message_id: message_id.clone(), text, truncated: None }),
            Event::MessageStopped(MessageStopped { message_id }),
        ],
        _ => Vec::new(),
    }
}
