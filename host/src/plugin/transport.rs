//! The pipe under jsonrpsee's client: lines down to stdin, answers up from the reading thread.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonrpsee::core::client::{ReceivedMessage, TransportReceiverT, TransportSenderT};
use od_protocol::{ErrorObject, Message};
use serde::Deserialize;
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver};

/// The ids of calls that wait for an answer. An answer to any other id would kill jsonrpsee's client,
/// so it is kept away from it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pending(Arc<Mutex<HashSet<u64>>>);

impl Pending {
    /// Turns an answer into what jsonrpsee's client can take; `None` when nobody waits for it.
    pub(crate) fn admit(&self, id: u64, line: &[u8], message: &Message<'_>) -> Option<Vec<u8>> {
        if !self.lock().remove(&id) {
            return None;
        }
        let malformed = |error: &str| {
            let error = ErrorObject::new(
                od_protocol::ErrorKind::Internal,
                format!("the adapter answered with a malformed error object: {error}"),
            )
            .with_hint("upgrade the adapter or od-host, whichever is older");
            serde_json::json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into_bytes()
        };
        match message {
            Message::Response { outcome: Err(error), .. } => {
                match serde_json::from_str::<CodeAndMessage>(error.get()) {
                    Ok(_) => Some(line.to_vec()),
                    Err(error) => Some(malformed(&error.to_string())),
                }
            }
            _ => Some(line.to_vec()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
struct CodeAndMessage {
    #[serde(rename = "code")]
    _code: i32,
    #[serde(rename = "message")]
    _message: String,
}

#[derive(Deserialize)]
struct IdOnly {
    id: Option<u64>,
}

/// The adapter is gone.
#[derive(Debug, thiserror::Error)]
#[error("the adapter's pipe is closed")]
pub(crate) struct Closed;

/// Down: to the task that writes stdin.
pub(crate) struct Down {
    pub(crate) lines: Sender<String>,
    pub(crate) pending: Pending,
}

impl TransportSenderT for Down {
    type Error = Closed;

    async fn send(&mut self, mut message: String) -> Result<(), Closed> {
        if let Ok(IdOnly { id: Some(id) }) = serde_json::from_str(&message) {
            self.pending.lock().insert(id);
        }
        message.push('\n');
        self.lines.send(message).await.map_err(|_| Closed)
    }
}

/// Up: from the thread that reads stdout.
pub(crate) struct Up {
    pub(crate) answers: UnboundedReceiver<Vec<u8>>,
}

impl TransportReceiverT for Up {
    type Error = Closed;

    async fn receive(&mut self) -> Result<ReceivedMessage, Closed> {
        self.answers.recv().await.map(ReceivedMessage::Bytes).ok_or(Closed)
    }
}

/// Writes lines to stdin until the channel closes, the adapter is gone, or the task is aborted.
pub(crate) async fn write_stdin(
    mut stdin: tokio::process::ChildStdin,
    mut lines: Receiver<String>,
) {
    use tokio::io::AsyncWriteExt;
    while let Some(line) = lines.recv().await {
        if let Err(error) = stdin.write_all(line.as_bytes()).await {
            tracing::debug!(%error, "the adapter does not read any more");
            return;
        }
    }
}
