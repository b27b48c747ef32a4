//! What was asked so far, without secrets and without end: the oldest are forgotten.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

/// A request that the fake model got.
#[derive(Debug, Clone, Serialize)]
pub struct RecordedRequest {
    /// Counted from one.
    pub number: u64,
    /// The method.
    pub method: String,
    /// The address with its query; keys in it are taken out.
    pub path: String,
    /// The headers in order; values that may be secrets are taken out.
    pub headers: Vec<(String, String)>,
    /// The body: JSON, or a text when it is none.
    pub body: Value,
    /// The wire format, when an answer was asked for.
    pub wire: Option<&'static str>,
    /// Whether the agent CLI asked beside the user's run.
    pub side_call: bool,
}

/// The requests that are kept.
#[derive(Debug, Default)]
pub(super) struct RequestLog {
    requests: VecDeque<(usize, RecordedRequest)>,
    bytes: usize,
    forgotten: u64,
    folder: Option<PathBuf>,
}

const MOST_REQUESTS: usize = 2_000;
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// What is no JSON is kept up to here.
const MOST_TEXT: usize = 2_000;

impl RequestLog {
    /// An empty log that also writes each request to a file, when there is a folder.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Keeps a request whose body had this many bytes.
    pub(super) fn keep(&mut self, request: RecordedRequest, bytes: usize) {
        if let Some(folder) = &self.folder
            && let Err(error) = write(folder, &request)
        {
            anstream::eprintln!("warning: request {} is not in the log: {error}", request.number);
        }
        self.bytes += bytes;
        self.requests.push_back((bytes, request));
        while self.requests.len() > MOST_REQUESTS
            || (self.bytes > MOST_BYTES && self.requests.len() > 1)
        {
            if let Some((bytes, _)) = self.requests.pop_front() {
                self.bytes -= bytes;
                self.forgotten += 1;
            }
        }
    }

    /// The requests that are kept, oldest first.
    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.iter().map(|(_, request)| request.clone()).collect()
    }

    /// How many are no longer kept.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

fn write(folder: &Path, request: &RecordedRequest) -> std::io::Result<()> {
    let file = std::fs::File::create(folder.join(format!("{:04}.json", request.number)))?;
    serde_json::to_writer_pretty(file, request).map_err(std::io::Error::from)
}

/// A header's value, or how long it was when it may be a secret.
pub(super) fn without_secret(name: &str, value: &[u8]) -> String {
    const SECRET: [&str; 5] = ["auth", "key", "token", "cookie", "secret"];
    if SECRET.iter().any(|part| name.to_ascii_lowercase().contains(part)) {
        return format!("<redacted:{}>", value.len());
    }
    String::from_utf8_lossy(value).into_owned()
}

/// An address without the values of keys in its query.
pub(super) fn path_without_secret(path: &str, query: Option<&str>) -> String {
    let Some(query) = query else { return path.to_owned() };
    let parts = query.split('&').map(|part| match part.split_once('=') {
        Some((name, value)) => format!("{name}={}", without_secret(name, value.as_bytes())),
        None => part.to_owned(),
    });
    format!("{path}?{}", parts.collect::<Vec<_>>().join("&"))
}

/// A body as it is kept.
pub(super) fn kept_body(body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(body).unwrap_or_else(|_| {
        let start = &body[..body.len().min(MOST_TEXT)];
        Value::String(String::from_utf8_lossy(start).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(number: u64) -> RecordedRequest {
        RecordedRequest {
            number,
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            body: Value::Null,
            wire: None,
            side_call: false,
        }
    }

    #[test]
    fn secrets_are_taken_out() {
        for name in ["Authorization", "x-api-key", "x-goog-api-key", "cookie", "x-auth-token"] {
            assert_eq!(without_secret(name, b"hunter2"), "<redacted:7>", "{name}");
        }
        assert_eq!(without_secret("accept", b"a/b"), "a/b");
        let path = path_without_secret("/m", Some("key=hunter2&alt=sse"));
        assert_eq!(path, "/m?key=<redacted:7>&alt=sse");
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut log = RequestLog::default();
        for number in 1..=MOST_REQUESTS as u64 + 3 {
            log.keep(request(number), 1);
        }
        assert_eq!(log.requests().len(), MOST_REQUESTS);
        assert_eq!((log.requests()[0].number, log.forgotten()), (4, 3));
        log.keep(request(9), MOST_BYTES + 1);
        assert_eq!(log.requests().len(), 1);
    }
}
