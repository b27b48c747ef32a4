//! What we ask the app server for: only shapes. When it is asked is decided in `events/opening.rs`.

mod handshake;

pub use handshake::Handshake;
pub(crate) use handshake::session_id;

use od_sdk::json_rpc::{Dialect, Requests};
use serde_json::{Value, json};

/// What a reply of the app server is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// The greeting.
    Initialize,
    /// The key of a variable, which the app server does not read by itself.
    Login,
    /// Folders of skills.
    Skills,
    /// A new, old or copied thread.
    Thread,
    /// The models: which efforts they take.
    Models,
    /// A turn.
    Turn,
    /// More for the turn that runs: what was said.
    Steer(String),
    /// The end of a turn.
    Interrupt,
}

/// Requests without a version: the app server leaves it out.
pub fn new_requests() -> Requests<Purpose> {
    Requests::new(Dialect::Bare)
}

/// The first lines of a talk: the greeting, and the key where one is to be handed over. A mapper
/// that follows them numbers its own requests behind (see [`greet`]).
pub fn initial_lines(key: Option<&str>) -> Vec<u8> {
    let mut requests = new_requests();
    let mut lines = to_lines(&initialize(&mut requests));
    if let Some(key) = key {
        lines.extend(to_lines(&[login(&mut requests, key)]));
    }
    lines
}

/// Messages as lines.
pub fn to_lines(messages: &[Value]) -> Vec<u8> {
    messages.iter().flat_map(|message| format!("{message}\n").into_bytes()).collect()
}

/// The greeting: a request and the word that its reply is not waited for.
pub fn initialize(requests: &mut Requests<Purpose>) -> [Value; 2] {
    let client = json!({
        "name": "od_adapter_codex",
        "title": "OD Adapters",
        "version": env!("CARGO_PKG_VERSION"),
    });
    let initialize =
        requests.request("initialize", json!({ "clientInfo": client }), Purpose::Initialize);
    [initialize, json!({"method": "initialized"})]
}

/// Hands over a key for this process only (see `invocation`, which makes it so).
pub fn login(requests: &mut Requests<Purpose>, key: &str) -> Value {
    let params = json!({"type": "apiKey", "apiKey": key});
    requests.request("account/login/start", params, Purpose::Login)
}

/// More folders of skills, for this process only.
pub fn skills(requests: &mut Requests<Purpose>, folders: &[String]) -> Value {
    requests.request("skills/extraRoots/set", json!({ "extraRoots": folders }), Purpose::Skills)
}

/// The models with their efforts.
pub fn models(requests: &mut Requests<Purpose>) -> Value {
    requests.request("model/list", json!({}), Purpose::Models)
}

/// A turn that says a text.
pub fn text_turn(requests: &mut Requests<Purpose>, thread_id: &str, text: &str) -> Value {
    let params = json!({"threadId": thread_id, "input": [text_input(text)]});
    requests.request("turn/start", params, Purpose::Turn)
}

/// More for the turn that runs; refused when it runs no longer.
pub fn steer(
    requests: &mut Requests<Purpose>,
    thread_id: &str,
    turn_id: &str,
    text: &str,
) -> Value {
    let params = json!({
        "threadId": thread_id,
        "expectedTurnId": turn_id,
        "input": [text_input(text)],
    });
    requests.request("turn/steer", params, Purpose::Steer(text.to_owned()))
}

/// Asks the CLI to stop what it does; it ends its tools.
pub fn interrupt(requests: &mut Requests<Purpose>, thread_id: &str, turn_id: &str) -> Value {
    let params = json!({"threadId": thread_id, "turnId": turn_id});
    requests.request("turn/interrupt", params, Purpose::Interrupt)
}

fn text_input(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
