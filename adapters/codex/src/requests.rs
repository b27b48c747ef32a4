//! Builds the requests to the app server. `events/handshake.rs` decides when they are sent.

mod handshake;

pub use handshake::Handshake;
pub(crate) use handshake::session_id;

use od_sdk::json_rpc::{Dialect, Requests};
use serde_json::{Value, json};

/// The purpose of a request, by which its reply is handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// `initialize`.
    Initialize,
    /// Sends the API key, which the app server does not read from the variable.
    Login,
    /// Sets further skill folders.
    Skills,
    /// Starts, resumes or forks a thread.
    Thread,
    /// Lists the models and their effort levels.
    Models,
    /// Starts a turn.
    Turn,
    /// Sends input to the running turn; contains the text.
    Steer(String),
    /// Interrupts a turn.
    Interrupt,
}

/// Returns an empty set of requests. The app server omits the field `jsonrpc`.
pub fn new_requests() -> Requests<Purpose> {
    Requests::new(Dialect::Bare)
}

/// Returns the first lines of stdin: the `initialize` request, and the login if there is a key. The
/// mapper must count these requests before it sends its own.
pub fn initial_lines(key: Option<&str>) -> Vec<u8> {
    let mut requests = new_requests();
    let mut lines = to_lines(&initialize(&mut requests));
    if let Some(key) = key {
        lines.extend(to_lines(&[login(&mut requests, key)]));
    }
    lines
}

/// Returns the messages as lines.
pub fn to_lines(messages: &[Value]) -> Vec<u8> {
    messages.iter().flat_map(|message| format!("{message}\n").into_bytes()).collect()
}

/// Returns the `initialize` request and the `initialized` notification.
pub fn initialize(requests: &mut Requests<Purpose>) -> [Value; 2] {
    let client_info = json!({
        "name": "od_adapter_codex",
        "title": "OD Adapters",
        "version": env!("CARGO_PKG_VERSION"),
    });
    let initialize =
        requests.request("initialize", json!({ "clientInfo": client_info }), Purpose::Initialize);
    [initialize, json!({"method": "initialized"})]
}

/// Logs in with a key. The setting in `invocation/app_server.rs` limits the login to this process.
pub fn login(requests: &mut Requests<Purpose>, key: &str) -> Value {
    let params = json!({"type": "apiKey", "apiKey": key});
    requests.request("account/login/start", params, Purpose::Login)
}

/// Sets further skill folders, for this process only.
pub fn skills(requests: &mut Requests<Purpose>, folders: &[String]) -> Value {
    requests.request("skills/extraRoots/set", json!({ "extraRoots": folders }), Purpose::Skills)
}

/// Requests the models with their effort levels.
pub fn models(requests: &mut Requests<Purpose>) -> Value {
    requests.request("model/list", json!({}), Purpose::Models)
}

/// Starts a turn with a text.
pub fn text_turn(requests: &mut Requests<Purpose>, thread_id: &str, text: &str) -> Value {
    let params = json!({"threadId": thread_id, "input": [text_input(text)]});
    requests.request("turn/start", params, Purpose::Turn)
}

/// Sends input to the running turn; the app server refuses it if the turn has ended.
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

/// Interrupts the turn; the CLI ends its tools.
pub fn interrupt(requests: &mut Requests<Purpose>, thread_id: &str, turn_id: &str) -> Value {
    let params = json!({"threadId": thread_id, "turnId": turn_id});
    requests.request("turn/interrupt", params, Purpose::Interrupt)
}

fn text_input(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
