//! `sessions/list` and `sessions/read`: SES-05, which `sessions` lists.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use od_protocol::adapter::{LIST_SESSIONS, ListSessionsResult, READ_SESSION, ReadSessionResult};
use od_protocol::{ErrorKind, Event, SessionSummary};
use serde_json::{Value, json};

use super::snapshot::Snapshot;
use crate::adapter_client::{AdapterClient, Answer};
use crate::context::CheckContext;
use crate::outcome::{CheckOutcome, Finding, shorten};

/// Times before this are not in milliseconds: 1 January 2000.
const EARLIEST_MS: u64 = 946_684_800_000;

/// How far in the future a time may be.
const MAX_AHEAD: Duration = Duration::from_secs(7 * 24 * 3600);

/// The kinds with which a hostile id may be refused.
const REFUSALS: &[ErrorKind] =
    &[ErrorKind::SessionUnknown, ErrorKind::ConfigInvalid, ErrorKind::InvalidParams];

/// Lists and reads the sessions of the home folder.
pub(super) fn sessions_on_disk(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    if context.suite.has_scenario("sessions") {
        adapter.fake_cli.load_script(&context.prepare("sessions")?.script)?;
    }
    let secret = format!("secret{}", context.nonce());
    let outside = context.folder("outside")?.join("outside.jsonl");
    std::fs::write(&outside, json!({"type": "user", "t": "user", "text": secret}).to_string())?;
    let before = Snapshot::take(&adapter.home);
    let all = list(&mut adapter, json!({}))?;
    are_plausible(&adapter, &all)?;
    for limit in [1_usize, 2] {
        let some = list(&mut adapter, json!({"limit": limit}))?;
        let expected: Vec<&str> = all.iter().take(limit).map(|it| it.id.as_str()).collect();
        let got: Vec<&str> = some.iter().map(|it| it.id.as_str()).collect();
        let sent = format!("sessions/list with limit {limit}");
        adapter.ensure(got == expected, format!("{expected:?}"), format!("{got:?}"), sent)?;
    }
    filters_by_folder(context, &mut adapter, &all)?;
    for session in all.iter().take(3) {
        reads(&mut adapter, session)?;
    }
    refuses_unknown(context, &mut adapter, &outside, &secret)?;
    let changes = before.changes(&Snapshot::take(&adapter.home));
    let sent = "sessions/list and sessions/read";
    let got = changes.join(", ");
    adapter.ensure(changes.is_empty(), "no file of the home folder changes", got, sent)
}

fn list(adapter: &mut AdapterClient, params: Value) -> Result<Vec<SessionSummary>, Finding> {
    let sent = format!("{} {params}", LIST_SESSIONS.name);
    let answer = adapter.request(LIST_SESSIONS.name, params)?;
    let result = match &answer {
        Answer::Result(value) => serde_json::from_value::<ListSessionsResult>(value.clone()).ok(),
        Answer::Error(_) => None,
    };
    let result = result.map(|result| result.sessions);
    result.ok_or_else(|| adapter.failure("a list of sessions", answer.summary(), sent))
}

/// Fails unless ids are unique, times are in milliseconds and the newest session is first.
fn are_plausible(adapter: &AdapterClient, sessions: &[SessionSummary]) -> CheckOutcome {
    let sent = "sessions/list";
    let ids: BTreeSet<&str> = sessions.iter().map(|session| session.id.as_str()).collect();
    let is_unique = ids.len() == sessions.len() && !ids.contains("");
    let shown = shorten(&format!("{sessions:?}"), 600);
    adapter.ensure(is_unique, "ids that are unique and not empty", &*shown, sent)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let latest = u64::try_from((now + MAX_AHEAD).as_millis()).unwrap_or(u64::MAX);
    let times: Vec<u64> = sessions.iter().filter_map(|session| session.updated_at).collect();
    let is_plausible = times.iter().all(|time| (EARLIEST_MS..latest).contains(time));
    adapter.ensure(is_plausible, "updatedAt in milliseconds since 1970", &*shown, sent)?;
    let is_sorted = times.windows(2).all(|pair| pair[0] >= pair[1]);
    adapter.ensure(is_sorted, "the newest session first", &*shown, sent)
}

fn filters_by_folder(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    all: &[SessionSummary],
) -> CheckOutcome {
    let empty = context.folder("no sessions")?.to_string_lossy().into_owned();
    let none = list(adapter, json!({"cwd": empty}))?;
    let sent = "sessions/list with the cwd of a folder without sessions";
    adapter.ensure(none.is_empty(), "an empty list", format!("{none:?}"), sent)?;
    let Some(cwd) = all.iter().find_map(|session| session.cwd.clone()) else { return Ok(()) };
    let expected: Vec<&SessionSummary> =
        all.iter().filter(|session| session.cwd.as_deref() == Some(&cwd)).collect();
    let got = list(adapter, json!({"cwd": cwd}))?;
    let is_same = got.iter().collect::<Vec<_>>() == expected;
    let sent = format!("sessions/list with cwd {cwd:?}");
    adapter.ensure(is_same, format!("{expected:?}"), format!("{got:?}"), sent)
}

fn reads(adapter: &mut AdapterClient, session: &SessionSummary) -> CheckOutcome {
    let mut params = json!({"id": session.id});
    if let Some(cwd) = &session.cwd {
        params["cwd"] = cwd.as_str().into();
    }
    let sent = format!("sessions/read {params}");
    let answer = adapter.request(READ_SESSION.name, params)?;
    let raw = match &answer {
        Answer::Result(value) => value.clone(),
        Answer::Error(_) => Value::Null,
    };
    // Some agent CLIs print their sessions instead of storing files.
    let is_file = has_file_with(&adapter.home, &session.id);
    if !is_file && matches!(answer, Answer::Error(_)) {
        return Ok(());
    }
    let Ok(result) = serde_json::from_value::<ReadSessionResult>(raw.clone()) else {
        return Err(adapter.failure("the content of a session", answer.summary(), sent));
    };
    let id = &result.session.id;
    adapter.ensure(*id == session.id, format!("the session {}", session.id), id, &*sent)?;
    let events = raw["events"].as_array().cloned().unwrap_or_default();
    let is_enveloped = |event: &&Value| event.get("seq").is_some() || event.get("event").is_some();
    if let Some(event) = events.iter().find(is_enveloped) {
        return Err(adapter.failure("events without an envelope", event.to_string(), sent));
    }
    let users: Vec<&String> = result
        .events
        .iter()
        .filter_map(|event| match event {
            Event::UserMessage(message) => Some(&message.text),
            _ => None,
        })
        .collect();
    let is_empty = result.events.is_empty();
    let got = shorten(&raw.to_string(), 400);
    adapter.ensure(is_empty || !users.is_empty(), "a `user_message`", got, &*sent)?;
    let is_known = |text: &&String| {
        let first_line = text.lines().next().unwrap_or_default();
        let quoted = Value::from(first_line).to_string();
        has_file_with(&adapter.home, quoted.trim_matches('"'))
    };
    let found = !is_file || users.is_empty() || users.iter().any(is_known);
    let got = format!("{users:?}, which no file of the home folder contains");
    adapter.ensure(found, "what the user wrote in this session", got, sent)
}

/// Whether the path or the content of a file below the folder contains this text.
fn has_file_with(folder: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match path.is_dir() {
        true => has_file_with(&path, text),
        false => {
            path.to_string_lossy().contains(text)
                || std::fs::read(&path)
                    .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
        }
    })
}

fn refuses_unknown(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    outside: &Path,
    secret: &str,
) -> CheckOutcome {
    let unknown = context.prepare("text").map(|prepared| prepared.values.text("session_id"));
    let unknown = unknown.unwrap_or_else(|_| context.nonce());
    let sent = format!("sessions/read of the unknown session {unknown:?}");
    let calls = adapter.fake_cli.invocations().len();
    let answer = adapter.request(READ_SESSION.name, json!({"id": unknown}))?;
    if adapter.fake_cli.invocations().len() == calls {
        adapter.expect_error(answer, &ErrorKind::SessionUnknown, &sent)?;
    }
    let outside = outside.to_string_lossy();
    let up = format!("{}{}", "../".repeat(12), outside.trim_start_matches('/'));
    let hostile = [
        up.clone(),
        up.trim_end_matches(".jsonl").to_owned(),
        outside.to_string(),
        outside.trim_end_matches(".jsonl").to_owned(),
        "../../etc/passwd".to_owned(),
        "%00".to_owned(),
        "a\u{0}b".to_owned(),
        "..".to_owned(),
        ".".to_owned(),
        "*".to_owned(),
        String::new(),
        "x".repeat(10_000),
    ];
    for id in hostile {
        let sent = format!("sessions/read of {:?}", shorten(&id, 100));
        let calls = adapter.fake_cli.invocations().len();
        let answer = adapter.request(READ_SESSION.name, json!({"id": id}))?;
        // An agent CLI that prints its sessions cannot answer here, so it decides about the kind.
        let asks_cli = adapter.fake_cli.invocations().len() > calls;
        let is_refused = match &answer {
            Answer::Error(error) => {
                (asks_cli || REFUSALS.contains(&error.kind())) && !error.message.contains(secret)
            }
            Answer::Result(_) => false,
        };
        let expected = "session_unknown, config_invalid or invalid_params";
        adapter.ensure(is_refused, expected, answer.summary(), sent)?;
    }
    Ok(())
}
