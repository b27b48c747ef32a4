//! One client on a transport that carries messages: parses each message, passes requests to the [`Handler`],
//! and queues its replies and notifications.

use od_protocol::{ErrorObject, RequestId};
use serde_json::value::RawValue;
use tokio::sync::mpsc::{Permit, Receiver, Sender, channel};

use super::message::{CallResult, Request, write_reply};

/// Answers the requests of a session.
pub(crate) trait Handler {
    /// Handles one request and sends its reply to `output`, now or later from a task.
    fn handle(&mut self, request: Request<'_>, output: &Output) -> impl Future<Output = ()> + Send;
}

/// The queue of messages to a client, each without its line end. A full queue blocks the senders, so a slow client
/// costs a bounded amount of memory.
#[derive(Debug, Clone)]
pub(crate) struct Output(Sender<Vec<u8>>);

impl Output {
    /// A queue of this many messages, and its end for the transport.
    pub(crate) fn channel(capacity: usize) -> (Self, Receiver<Vec<u8>>) {
        let (sender, receiver) = channel(capacity);
        (Self(sender), receiver)
    }

    /// Queues the reply to a request. Drops it when the client is gone.
    pub(crate) async fn reply(&self, id: &RawValue, result: &CallResult) {
        if let Some(permit) = self.reserve().await {
            permit.send(write_reply(id, result));
        }
    }

    /// Waits for space for one message. `None` when the client is gone.
    pub(crate) async fn reserve(&self) -> Option<Permit<'_, Vec<u8>>> {
        self.0.reserve().await.ok()
    }

    /// Waits until the client is gone.
    #[cfg(feature = "serve")]
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Session<H> {
    handler: H,
    output: Output,
}

impl<H: Handler> Session<H> {
    pub(crate) fn new(handler: H, output: Output) -> Self {
        Self { handler, output }
    }

    /// Handles one message. Waits while the client has too many requests in progress or does not read.
    pub(crate) async fn receive(&mut self, text: &[u8]) {
        match Request::parse(text) {
            Ok(Some(request)) => self.handler.handle(request, &self.output).await,
            Ok(None) => tracing::debug!("ignored a notification"),
            Err(error) => self.reject(error).await,
        }
    }

    /// Replies to a message that is not a request or was not read.
    pub(crate) async fn reject(&self, error: ErrorObject) {
        self.output.reply(&RequestId::NULL, &Err(error)).await;
    }

    /// Ends the session; requests in progress stay with the handler.
    #[cfg(feature = "serve")]
    pub(crate) fn into_handler(self) -> H {
        self.handler
    }
}
