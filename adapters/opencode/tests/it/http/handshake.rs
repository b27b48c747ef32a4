//! A run of `opencode-http` up to its session, with a scripted server.

use od_protocol::adapter::StartRunParams;
use od_sdk::testing::ScriptedHttpRun;
use od_sdk::{Install, Secret};
use opencode_family::http::events::Events;
use opencode_family::http::requests;
use serde_json::{Value, json};

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

/// Replies up to the one that has the session.
pub(crate) fn until_session(run: &mut ScriptedHttpRun<'_>, session: &Value) {
    run.line("Warning: something else");
    run.line("opencode server listening on http://127.0.0.1:4096");
    run.reply(requests::HEALTH, 200, r#"{"healthy":true,"version":"1.18.33"}"#);
    run.event(&json!({"type": "server.connected", "properties": {}}));
    run.reply(requests::SESSION, 200, &session.to_string());
}
