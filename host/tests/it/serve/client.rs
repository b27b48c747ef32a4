//! A client for each transport with the same interface, so that one test covers all transports.

mod http;
mod library;
mod stdio;
mod websocket;

use serde_json::Value;

use crate::cli::scratch::Scratch;

/// The result of a method, or the error object.
pub(crate) type Reply = Result<Value, Value>;

/// Events, or the error object.
pub(crate) type Events = Result<Vec<Value>, Value>;

/// Whether an event is the expected one.
pub(crate) type Matches<'a> = &'a dyn Fn(&Value) -> bool;

/// The transports of the API, and the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    WebSocket,
    /// Calls by POST; events start at `?from=`.
    Http,
    /// Calls by POST; events continue after `Last-Event-ID`, as a browser's `EventSource` does.
    ServerSentEvents,
    Stdio,
    /// `Service` in this process.
    Library,
}

impl Transport {
    pub(crate) const ALL: [Self; 5] =
        [Self::Library, Self::WebSocket, Self::Http, Self::ServerSentEvents, Self::Stdio];

    /// Starts a host on this machine and connects a client.
    pub(crate) fn open(self, scratch: Scratch) -> Box<dyn Client> {
        match self {
            Self::WebSocket => Box::new(websocket::WebSocketClient::open(scratch)),
            Self::Http => Box::new(http::HttpClient::open(scratch, http::Resume::From)),
            Self::ServerSentEvents => {
                Box::new(http::HttpClient::open(scratch, http::Resume::LastEventId))
            }
            Self::Stdio => Box::new(stdio::StdioClient::open(scratch)),
            Self::Library => Box::new(library::LibraryClient::open(scratch)),
        }
    }
}

/// A client and its host.
pub(crate) trait Client {
    /// The machine of the host.
    fn scratch(&self) -> &Scratch;

    fn call(&mut self, method: &str, params: &Value) -> Reply;

    /// Sends the same call twice at the same time.
    fn race(&mut self, method: &str, params: &Value) -> [Reply; 2];

    /// Attaches to a run, reads up to the first matching event, and detaches.
    fn read(&mut self, run_id: &str, from: u64, matches: Matches<'_>) -> Events;

    /// Waits until the host exits; its exit code.
    fn wait_for_exit(self: Box<Self>) -> Option<i32>;
}

/// Collects events up to the first match; true when there was one.
fn take(
    events: &mut Vec<Value>,
    batch: impl IntoIterator<Item = Value>,
    matches: Matches<'_>,
) -> bool {
    for event in batch {
        let last = matches(&event);
        events.push(event);
        if last {
            return true;
        }
    }
    false
}
