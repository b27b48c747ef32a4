//! A minimal WebSocket client that reads only on request, so that a test controls how slow it is and sees the exact
//! bytes. The benchmark uses it too.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

const TEXT: u8 = 0x1;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xA;
const FINAL_FRAME: u8 = 0x80;
const MASKED: u8 = 0x80;
/// Clients must mask; this mask does not change the bytes.
const NO_MASK: [u8; 4] = [0; 4];

pub(crate) struct RawWebSocket<S = TcpStream> {
    stream: BufReader<S>,
    message: Vec<u8>,
}

impl<S: Read + Write> RawWebSocket<S> {
    /// Opens a WebSocket to `127.0.0.1:port` with a read buffer of this size.
    pub(crate) fn open(stream: S, address: &str, token: &str, buffer: usize) -> io::Result<Self> {
        let request = format!(
            "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        let mut socket =
            Self { stream: BufReader::with_capacity(buffer, stream), message: Vec::new() };
        socket.stream.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        socket.stream.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 101 ") {
            return Err(io::Error::other(line));
        }
        while line != "\r\n" {
            line.clear();
            socket.stream.read_line(&mut line)?;
        }
        Ok(socket)
    }

    /// Sends a call.
    pub(crate) fn request(&mut self, id: u64, method: &str, params: &str) -> io::Result<()> {
        let call =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        self.send_text(&call)
    }

    /// Sends a text message.
    pub(crate) fn send_text(&mut self, text: &str) -> io::Result<()> {
        self.send_bytes(text.as_bytes())
    }

    /// Sends a text message that may be invalid UTF-8.
    pub(crate) fn send_bytes(&mut self, text: &[u8]) -> io::Result<()> {
        self.send(TEXT, text)
    }

    /// Waits for the next message; `None` when the host closes the connection.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.message.clear();
        loop {
            let mut head = [0; 2];
            self.stream.read_exact(&mut head)?;
            let length = self.read_length(head[1])?;
            let start = self.message.len();
            self.message.resize(start + length, 0);
            self.stream.read_exact(&mut self.message[start..])?;
            match head[0] & 0xF {
                CLOSE => return Ok(None),
                PING => {
                    let answer = self.message.split_off(start);
                    self.send(PONG, &answer)?;
                }
                PONG => self.message.truncate(start),
                _ if head[0] & FINAL_FRAME != 0 => return Ok(Some(&self.message)),
                _ => {}
            }
        }
    }

    fn read_length(&mut self, short: u8) -> io::Result<usize> {
        let mut long = [0; 8];
        let bytes = match short {
            126 => &mut long[6..],
            127 => &mut long[..],
            _ => return Ok(short.into()),
        };
        self.stream.read_exact(bytes)?;
        usize::try_from(u64::from_be_bytes(long)).map_err(io::Error::other)
    }

    fn send(&mut self, kind: u8, payload: &[u8]) -> io::Result<()> {
        let mut frame = vec![FINAL_FRAME | kind];
        match payload.len() {
            length @ 0..126 => frame.push(MASKED | length as u8),
            length @ 126..65536 => {
                frame.push(MASKED | 126);
                frame.extend_from_slice(&(length as u16).to_be_bytes());
            }
            length => {
                frame.push(MASKED | 127);
                frame.extend_from_slice(&(length as u64).to_be_bytes());
            }
        }
        frame.extend_from_slice(&NO_MASK);
        frame.extend_from_slice(payload);
        self.stream.get_mut().write_all(&frame)
    }
}
