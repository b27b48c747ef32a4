//! A client of each face of the API, all used in the same way: so one script can go through all of them.

mod http;
mod library;
mod stdio;
mod websocket;

use serde_json::Value;

use crate::cli::scratch::Scratch;

/// What a method answers: its result, or the error object.
pub(crate) type Answer = Result<Value, Value>;

/// Events, or the error object.
pub(crate) type Events = Result<Vec<Value>, Value>;

/// Whether an event is the one that is waited for.
pub(crate) type Fits<'a> = &'a dyn Fn(&Value) -> bool;

/// The ways to the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    WebSocket,
    /// Calls by POST; events are asked for by `?from=`.
    Http,
    /// Calls by POST; events go on after `Last-Event-ID`, as a browser's `EventSource` does.
    ServerSentEvents,
    Stdio,
    /// `Service` in this process.
    Library,
}

impl Face {
    pub(crate) const ALL: [Self; 5] =
        [Self::Library, Self::WebSocket, Self::Http, Self::ServerSentEvents, Self::Stdio];

    /// A host on this machine, and a client of it.
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

/// A client and the host it talks to.
pub(crate) trait Client {
    /// Where the host lives.
    fn scratch(&self) -> &Scratch;

    fn call(&mut self, method: &str, params: &Value) -> Answer;

    /// The same call twice at the same time.
    fn race(&mut self, method: &str, params: &Value) -> [Answer; 2];

    /// Attaches to a run, reads until an event fits, and detaches: the events up to that one.
    fn read(&mut self, run_id: &str, from: u64, fits: Fits<'_>) -> Events;

    /// Waits for the end of a host that was told to shut down; its exit code.
    fn ended(self: Box<Self>) -> Option<i32>;
}

/// Takes events up to the one that fits; true when it was among them.
fn take(events: &mut Vec<Value>, batch: impl IntoIterator<Item = Value>, fits: Fits<'_>) -> bool {
    for event in batch {
        let last = fits(&event);
        events.push(event);
        if last {
            return true;
        }
    }
    false
}
