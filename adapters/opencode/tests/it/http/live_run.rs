//! A run of `opencode-http` after its prompt, with a scripted server.

use od_sdk::testing::ScriptedHttpRun;
use opencode_family::http::events::Events;
use opencode_family::http::requests;
use serde_json::{Value, json};

pub(crate) use super::handshake::{events, params, until_session};

/// The session of these runs.
pub(crate) const SESSION: &str = "ses_1";

/// A run that waits for the answer to its prompt.
pub(crate) fn live<'a>(events: &'a mut Events) -> ScriptedHttpRun<'a> {
    let mut run = ScriptedHttpRun::begin(events);
    until_session(&mut run, &json!({"id": SESSION, "directory": "/work space"}));
    run.reply(requests::PROMPT, 204, "");
    run
}

/// An event of the run's session.
pub(crate) fn event(kind: &str, mut properties: Value) -> Value {
    properties["sessionID"] = SESSION.into();
    json!({"type": kind, "properties": properties})
}
