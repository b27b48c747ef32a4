//! Records requests without secrets; the oldest are dropped at a limit.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

/// A recorded request.
#[derive(Debug, Clone, Serialize)]
pub struct RecordedRequest {
    /// Counted from one.
    pub number: u64,
    /// The method.
    pub method: String,
    /// The address with its query, keys redacted.
    pub path: String,
    /// The headers in order, secrets redacted.
    pub headers: Vec<(String, String)>,
    /// The body: JSON, or a text.
    pub body: Value,
    /// The wire format of a request for an answer.
    pub wire: Option<&'static str>,
    /// Whether it is a side call of the agent CLI.
    pub side_call: bool,
}

#[derive(Debug, Default)]
pub(super) struct RequestLog {
    requests: VecDeque<(usize, RecordedRequest)>,
    bytes: usize,
    dropped: u64,
    folder: Option<PathBuf>,
}

const MAX_REQUESTS: usize = 2_000;
const MAX_LOG_BYTES: usize = 64 * 1024 * 1024;
/// The maximum length of a body that is not JSON.
const MAX_TEXT_BYTES: usize = 2_000;

impl RequestLog {
    /// An empty log. With a folder, each request is also written to a file.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Records a request whose body had this many bytes.
    pub(super) fn record(&mut self, request: RecordedRequest, bytes: usize) {
        if let Some(folder) = &self.folder
            && let Err(error) = write(folder, &request)
        {
            anstream::eprintln!("warning: request {} was not logged: {error}", request.number);
        }
        self.bytes += bytes;
        self.requests.push_back((bytes, request));
        while self.requests.len() > MAX_REQUESTS
            || (self.bytes > MAX_LOG_BYTES && self.requests.len() > 1)
        {
            if let Some((bytes, _)) = self.requests.pop_front() {
                self.bytes -= bytes;
                self.dropped += 1;
            }
        }
    }

    /// The recorded requests, oldest first.
    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.iter().map(|(_, request)| request.clone()).collect()
    }

    /// The number of dropped requests.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}

fn write(folder: &Path, request: &RecordedRequest) -> std::io::Result<()> {
    let file = std::fs::File::create(folder.join(format!("{:04}.json", request.number)))?;
    serde_json::to_writer_pretty(file, request).map_err(std::io::Error::from)
}

/// The value of a header, or its length if it may be a secret.
pub(super) fn without_secret(name: &str, value: &[u8]) -> String {
    const SECRET: [&str; 5] = ["auth", "key", "token", "cookie", "secret"];
    if SECRET.iter().any(|part| name.to_ascii_lowercase().contains(part)) {
        return format!("<redacted:{}>", value.len());
    }
    String::from_utf8_lossy(value).into_owned()
}

/// The address with the values of keys in its query redacted.
pub(super) fn path_without_secret(path: &str, query: Option<&str>) -> String {
    let Some(query) = query else { return path.to_owned() };
    let parts = query.split('&').map(|part| match part.split_once('=') {
        Some((name, value)) => format!("{name}={}", without_secret(name, value.as_bytes())),
        None => part.to_owned(),
    });
    format!("{path}?{}", parts.collect::<Vec<_>>().join("&"))
}

pub(super) fn recorded_body(body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(body).unwrap_or_else(|_| {
        let start = &body[..body.len().min(MAX_TEXT_BYTES)];
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
    fn secrets_are_redacted() {
        for name in ["Authorization", "x-api-key", "x-goog-api-key", "cookie", "x-auth-token"] {
            assert_eq!(without_secret(name, b"hunter2"), "<redacted:7>", "{name}");
        }
        assert_eq!(without_secret("accept", b"a/b"), "a/b");
        let path = path_without_secret("/m", Some("key=hunter2&alt=sse"));
        assert_eq!(path, "/m?key=<redacted:7>&alt=sse");
    }

    #[test]
    fn oldest_requests_are_dropped() {
        let mut log = RequestLog::default();
        for number in 1..=MAX_REQUESTS as u64 + 3 {
            log.record(request(number), 1);
        }
        assert_eq!(log.requests().len(), MAX_REQUESTS);
        assert_eq!((log.requests()[0].number, log.dropped()), (4, 3));
        log.record(request(9), MAX_LOG_BYTES + 1);
        assert_eq!(log.requests().len(), 1);
    }
}
