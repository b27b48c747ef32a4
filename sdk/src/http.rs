//! Agent CLIs that are local HTTP servers: requests, replies and one stream of server-sent events
//! as an extension of a run.
//!
//! A mapper stays pure. It sends requests through [`RunOutput`](crate::RunOutput) (`connect`,
//! `request`, `open_stream`) and receives replies through [`Mapper`](crate::Mapper) (`on_reply`,
//! `on_stream_event`); the sockets are here, on separate threads. An adapter opts in with
//! [`Adapter::http`](crate::Adapter::http); the executables of other adapters do not contain this code.
//!
//! Plain HTTP only: the server is on this machine, or at the other end of a tunnel.

mod client;
mod sse;

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use base64::Engine;
use serde_json::Value;

use crate::outbox::Outbox;

/// The HTTP client that [`Adapter::http`](crate::Adapter::http) returns.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    start: fn(Wiring),
}

impl Client {
    /// Creates the client.
    pub fn new() -> Self {
        Self { start: client::start }
    }

    pub(crate) fn start(self, wiring: Wiring) {
        (self.start)(wiring);
    }
}

impl Default for Client {
    fn default() -> Self {
        Self::new()
    }
}

/// What a client works with.
pub(crate) struct Wiring {
    pub(crate) run: Arc<dyn RunEvents>,
    pub(crate) commands: Receiver<Command>,
    pub(crate) outbox: Outbox,
    /// Receives the raw events.
    pub(crate) trace: Option<std::fs::File>,
}

/// A function that passes the data of each event to its argument.
pub(crate) type FeedEvents<'a> = dyn FnMut(&mut dyn FnMut(&[u8])) + 'a;

/// Receives what the server sends to one run. The run implements it, so that this module does not
/// depend on runs.
pub(crate) trait RunEvents: Send + Sync {
    /// The reply to a request.
    fn on_reply(&self, reply: &Reply);
    /// A stream of events is read from now on.
    fn on_stream_opened(&self);
    /// Events of the stream: `feed` passes the data of each to its argument.
    fn on_stream_events(&self, feed: &mut FeedEvents<'_>);
    /// The stream has ended; this many of its events were over the size limit.
    fn on_stream_ended(&self, oversized: u64);
    /// Whether the run has emitted its last event.
    fn is_done(&self) -> bool;
}

/// A server and its login.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// `http://host:port`, without a slash at the end.
    pub url: String,
    /// User and password for basic authentication.
    pub login: Option<(String, String)>,
}

impl Server {
    /// Returns the value of the header `Authorization`.
    fn authorization(&self) -> Option<String> {
        let (user, password) = self.login.as_ref()?;
        let encoded =
            base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        Some(format!("Basic {encoded}"))
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Server").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A request. The reply comes as a call of [`Mapper::on_reply`](crate::Mapper::on_reply).
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Returned with the reply.
    pub tag: &'static str,
    /// `GET`, `POST` or `PATCH`.
    pub method: &'static str,
    /// The path, with its query.
    pub path: String,
    /// A JSON document; a GET has none.
    pub body: Option<Value>,
}

impl Request {
    /// Builds a GET.
    pub fn get(tag: &'static str, path: impl Into<String>) -> Self {
        Self { tag, method: "GET", path: path.into(), body: None }
    }

    /// Builds a POST of a JSON document.
    pub fn post(tag: &'static str, path: impl Into<String>, body: Value) -> Self {
        Self { tag, method: "POST", path: path.into(), body: Some(body) }
    }

    /// Builds a PATCH with a JSON document.
    pub fn patch(tag: &'static str, path: impl Into<String>, body: Value) -> Self {
        Self { tag, method: "PATCH", path: path.into(), body: Some(body) }
    }
}

/// The reply to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The tag of the request.
    pub tag: &'static str,
    /// The answer, or why there is none; the run then ends soon unless the mapper ends it.
    pub outcome: Result<Answer, String>,
}

/// The answer of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON, if the status is a success. The status alone proves nothing: a server may
    /// answer every path with a web page.
    pub fn json(&self) -> Option<Value> {
        let is_success = (200..300).contains(&self.status);
        is_success.then(|| serde_json::from_slice(&self.body).ok()).flatten()
    }
}

/// Sends one request and waits for the answer: for `models/list` and similar calls, never for a run.
///
/// # Errors
/// The reason why no answer came in time.
pub fn ask(
    server: &Server,
    request: &Request,
    limit: std::time::Duration,
) -> Result<Answer, String> {
    client::ask(server, request, limit).outcome
}

/// What a mapper requests.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Connect(Server),
    Request(Request),
    OpenStream(String),
}

/// Percent-encodes a text for a path or query.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_are_escaped() {
        assert_eq!(encoded("/a b/ü?x=1&y"), "%2Fa%20b%2F%C3%BC%3Fx%3D1%26y");
        assert_eq!(encoded("ses_1e-2.~"), "ses_1e-2.~");
    }

    #[test]
    fn login_is_sent_and_never_shown() {
        let login = Some(("user".to_owned(), "pw".to_owned()));
        let server = Server { url: "http://127.0.0.1:1".to_owned(), login };
        assert_eq!(server.authorization().as_deref(), Some("Basic dXNlcjpwdw=="));
        assert!(!format!("{server:?}").contains("pw"));
    }

    #[test]
    fn web_page_is_not_an_answer() {
        let answer = |status, body: &str| Answer { status, body: body.as_bytes().to_vec() };
        assert!(answer(200, "<html>").json().is_none());
        assert!(answer(404, "{}").json().is_none());
        assert!(answer(200, "{}").json().is_some());
    }
}
