//! Messages to the client, one per line, and the requests that wait for a response.

use std::collections::HashMap;
use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::fault::{AgentFault, Behaviour};

/// An error response: code and message.
pub(super) type Refusal = (i64, String);

pub(super) type Outcome = Result<Value, Refusal>;

/// The only writer of stdout.
pub(super) struct Output {
    behaviour: Behaviour,
    turn: Mutex<()>,
    pending: Mutex<PendingRequests>,
}

#[derive(Default)]
struct PendingRequests {
    sent: u64,
    open: HashMap<String, Sender<Value>>,
}

impl Output {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, turn: Mutex::new(()), pending: Mutex::new(PendingRequests::default()) }
    }

    /// Answers a request.
    pub(super) fn reply(&self, id: &Value, outcome: Outcome) {
        let is_long = id.as_u64() > Some(u32::MAX.into());
        let id = match id {
            Value::Number(number) if is_long && self.behaviour.has(AgentFault::TextIds) => {
                json!(number.to_string())
            }
            id => id.clone(),
        };
        self.send(&match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, message)) => {
                let error = json!({"code": code, "message": message});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
        });
    }

    pub(super) fn update(&self, session: &str, update: &Value) {
        let params = json!({"sessionId": session, "update": update});
        self.send(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
    }

    /// Sends a request to the client; the receiver gets the response, an error as null. `note`
    /// receives the id before the client does.
    pub(super) fn ask(
        &self,
        method: &str,
        params: &Value,
        note: impl FnOnce(&str),
    ) -> Receiver<Value> {
        let (sender, receiver) = channel();
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.sent += 1;
        let id = json!(format!("request-{}", pending.sent));
        pending.open.insert(id.to_string(), sender);
        drop(pending);
        note(&id.to_string());
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        receiver
    }

    /// Delivers a response of the client; returns whether a request was waiting for it.
    pub(super) fn resolve(&self, id: &str, answer: Value) -> bool {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        // The requester may have stopped waiting.
        pending.open.remove(id).map(|waiting| waiting.send(answer).is_ok()).is_some()
    }

    /// Writes one message as one line; the end of stdin reports a client that has exited.
    pub(super) fn send(&self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    pub(super) fn write(&self, bytes: &[u8]) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stdout = std::io::stdout().lock();
        let _gone = stdout.write_all(bytes).and_then(|()| stdout.flush());
    }
}
