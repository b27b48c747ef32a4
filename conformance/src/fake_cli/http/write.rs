//! Writes replies and event streams.

use std::io::{Result, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::fake_cli::script::Delivery;

/// Sends the reply to one request.
#[derive(Debug)]
pub(in crate::fake_cli) struct Responder {
    stream: TcpStream,
}

impl Responder {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream }
    }

    /// Replies with one document.
    pub(in crate::fake_cli) fn reply(
        mut self,
        status: u16,
        headers: &[(String, String)],
        body: &str,
        delivery: &Delivery,
    ) -> Result<()> {
        let mut text = head(status, headers);
        let is_told =
            |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !body.is_empty() && !is_told("content-type") {
            text.push_str(&format!("content-type: {}\r\n", kind_of(body)));
        }
        if status != 204 {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        text.push_str(body);
        in_pieces(text.as_bytes(), delivery, |piece| self.stream.write_all(piece))
    }

    /// Replies with an event stream that stays open.
    pub(in crate::fake_cli) fn stream(
        mut self,
        headers: &[(String, String)],
    ) -> Result<EventStream> {
        let own = "content-type: text/event-stream\r\ncache-handle: no-cache\r\n\
                   transfer-encoding: chunked\r\n\r\n";
        self.stream.write_all((head(200, headers) + own).as_bytes())?;
        Ok(EventStream { stream: self.stream })
    }
}

#[derive(Debug)]
pub(in crate::fake_cli) struct EventStream {
    stream: TcpStream,
}

impl EventStream {
    /// Sends bytes; each write is one chunk.
    pub(in crate::fake_cli) fn send(&mut self, bytes: &[u8], delivery: &Delivery) -> Result<()> {
        in_pieces(bytes, delivery, |piece| {
            let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
            chunk.extend_from_slice(piece);
            chunk.extend_from_slice(b"\r\n");
            self.stream.write_all(&chunk)
        })
    }
}

/// One event. `end` is its line end; the blank line that ends the event follows.
pub(in crate::fake_cli) fn event_frame(name: Option<&str>, text: &[u8], end: &str) -> Vec<u8> {
    let mut frame = Vec::with_capacity(text.len() + 16);
    if let Some(name) = name {
        frame.extend_from_slice(format!("event: {name}\n").as_bytes());
    }
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        frame.extend_from_slice(if index == 0 { b"data: " } else { b"\ndata: " });
        frame.extend_from_slice(line);
    }
    // An event needs a line end, also where the script prints a line without one.
    frame.extend_from_slice(if end.is_empty() { b"\n" } else { end.as_bytes() });
    frame.push(b'\n');
    frame
}

/// Bytes that are not a message: a keep-alive comment, then each line as the data of an event.
pub(in crate::fake_cli) fn event_frames(name: Option<&str>, bytes: &[u8]) -> Vec<u8> {
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
    let mut frames = b": keep-alive\n\n".to_vec();
    frames.extend(lines.flat_map(|line| event_frame(name, line, "\n")));
    frames
}

/// Writes bytes in pieces of the size that the script sets.
pub(in crate::fake_cli) fn in_pieces(
    bytes: &[u8],
    delivery: &Delivery,
    mut write: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    for piece in bytes.chunks(delivery.chunk_bytes.unwrap_or(bytes.len()).max(1)) {
        write(piece)?;
        if delivery.pause_micros > 0 {
            std::thread::sleep(Duration::from_micros(delivery.pause_micros));
        }
    }
    Ok(())
}

fn head(status: u16, headers: &[(String, String)]) -> String {
    let reason = hyper::StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason());
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason.unwrap_or("Status"));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}

fn kind_of(body: &str) -> &'static str {
    match serde_json::from_str::<serde::de::IgnoredAny>(body) {
        Ok(_) => "application/json",
        Err(_) => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_event_is_data() {
        let text = |frame: Vec<u8>| String::from_utf8(frame).expect("text");
        assert_eq!(text(event_frame(None, b"{}", "\n")), "data: {}\n\n");
        assert_eq!(text(event_frame(None, b"{}", "\r\n")), "data: {}\r\n\n");
        assert_eq!(text(event_frame(None, b"{}", "")), "data: {}\n\n");
        assert_eq!(text(event_frame(Some("x"), b"a\nb", "\n")), "event: x\ndata: a\ndata: b\n\n");
        let frames = ": keep-alive\n\ndata: a\n\ndata: \n\ndata: b\n\n";
        assert_eq!(text(event_frames(None, b"a\n\nb\n")), frames);
    }
}
