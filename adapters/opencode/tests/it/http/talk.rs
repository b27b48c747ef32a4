//! A run as far as its prompt, with the server played by hand.

use od_protocol::adapter::StartRunParams;
use od_sdk::testing::HttpTalk;
use od_sdk::{Install, Secret};
use opencode_family::http::events::Events;
use opencode_family::http::requests;
use serde_json::{Value, json};

/// The session of runs that are made up.
pub(crate) const SESSION: &str = "ses_1";

pub(crate) fn params(change: impl FnOnce(&mut StartRunParams)) -> StartRunParams {
    let mut params = StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/work space".to_owned(),
        ..StartRunParams::default()
    };
    params.prompt.text = "hello".to_owned();
    change(&mut params);
    params
}

pub(crate) fn events(start_run_params: &StartRunParams) -> Events {
    let install = Install { secret: Secret::fresh(), ..Install::default() };
    Events::new(start_run_params, &install)
}

/// Up to the answer that names the session.
pub(crate) fn until_session(talk: &mut HttpTalk<'_>, session: &Value) {
    talk.line("Warning: something else");
    talk.line("opencode server listening on http://127.0.0.1:4096");
    talk.reply(requests::HEALTH, 200, r#"{"healthy":true,"version":"1.18.33"}"#);
    talk.event(&json!({"type": "server.connected", "properties": {}}));
    talk.reply(requests::SESSION, 200, &session.to_string());
}

/// A run that waits for the answer to its prompt.
pub(crate) fn live<'a>(events: &'a mut Events) -> HttpTalk<'a> {
    let mut talk = HttpTalk::begin(events);
    until_session(&mut talk, &json!({"id": SESSION, "directory": "/work space"}));
    talk.reply(requests::PROMPT, 204, "");
    talk
}

/// An event of the run's session.
pub(crate) fn event(kind: &str, mut properties: Value) -> Value {
    properties["sessionID"] = SESSION.into();
    json!({"type": kind, "properties": properties})
}
