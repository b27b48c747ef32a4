//! A client of the fake model on a plain socket, which sees every chunk and how a response ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use od_conformance::model::{ModelOptions, ModelServer};
use serde_json::Value;

/// A fake model on any free port.
pub(crate) fn server() -> ModelServer {
    ModelServer::start(ModelOptions::default()).expect("loopback can be had")
}

/// A response as it arrives.
pub(crate) struct Exchange {
    reader: BufReader<TcpStream>,
    /// The status; 0 when the connection ended before.
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

/// A response that has ended.
pub(crate) struct Whole {
    /// The status; 0 when the connection ended before.
    pub(crate) status: u16,
    /// The headers, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The chunks of the body as they were sent.
    pub(crate) chunks: Vec<Vec<u8>>,
    /// Whether the body is complete.
    pub(crate) complete: bool,
}

impl Exchange {
    /// Sends a request with a JSON body.
    pub(crate) fn post(server: &ModelServer, path: &str, body: &Value) -> Self {
        let body = body.to_string();
        Self::raw(
            server,
            &format!(
                "POST {path} HTTP/1.1\r\nhost: model\r\nauthorization: Bearer hunter2\r\n\
                 content-length: {}\r\n\r\n{body}",
                body.len()
            ),
        )
    }

    /// Sends these bytes and reads the head of the response.
    pub(crate) fn raw(server: &ModelServer, request: &str) -> Self {
        let mut stream = connect(server);
        stream.write_all(request.as_bytes()).expect("the request is sent");
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            match reader.read_line(&mut line) {
                Ok(count) if count > 0 && !line.trim().is_empty() => lines.push(line),
                _ => break,
            }
        }
        let status = lines.first().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let headers = lines.iter().skip(1).filter_map(|line| line.trim().split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
        Self { reader, status: status.unwrap_or(0), headers: headers.collect() }
    }

    /// The next chunk; absent at the end or after an interruption.
    pub(crate) fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let size = usize::from_str_radix(line.trim(), 16).ok()?;
        let mut data = vec![0; size + 2];
        self.reader.read_exact(&mut data).ok()?;
        data.truncate(size);
        Some(data)
    }

    /// Reads to the end.
    pub(crate) fn whole(mut self) -> Whole {
        let mut chunks = Vec::new();
        let mut complete = false;
        let length = self.header("content-length").and_then(|text| text.parse().ok());
        if let Some(length) = length {
            let mut body = vec![0; length];
            complete = self.reader.read_exact(&mut body).is_ok();
            chunks.push(body);
        } else {
            while let Some(chunk) = self.chunk() {
                complete = chunk.is_empty();
                if complete {
                    break;
                }
                chunks.push(chunk);
            }
        }
        Whole { status: self.status, headers: self.headers, chunks, complete }
    }

    fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

impl Whole {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// The whole body.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.chunks.concat()).expect("the body is UTF-8")
    }

    /// The body as one JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap_or_else(|error| {
            panic!("status {}, {error} in:\n{}", self.status, self.text());
        })
    }

    /// The data of every event that is JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        events(&self.text())
    }
}

/// The data of every event that is JSON.
pub(crate) fn events(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok()).collect()
}

/// A connection with a read timeout, so that a hanging server does not hang the test.
pub(crate) fn connect(server: &ModelServer) -> TcpStream {
    let url = server.url();
    let address = url.strip_prefix("http://").expect("an address");
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    stream
}

/// A whole exchange.
pub(crate) fn post(server: &ModelServer, path: &str, body: &Value) -> Whole {
    Exchange::post(server, path, body).whole()
}

/// A whole exchange without a body.
pub(crate) fn get(server: &ModelServer, method: &str, path: &str) -> Whole {
    Exchange::raw(server, &format!("{method} {path} HTTP/1.1\r\nhost: model\r\n\r\n")).whole()
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
}
