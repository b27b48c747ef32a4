//! The same invalid messages over every transport get the same error objects.

use std::io::{BufRead, BufReader, Write};

use serde_json::Value;

use super::raw_websocket::RawWebSocket;
use super::server_process::{ServeProcess, StdioProcess, kind};
use crate::cli::scratch::Scratch;

/// A message that is not a request, the kind of its error and a part of the text.
const MESSAGES: [(&[u8], &str, &str); 12] = [
    (b"hello", "parse_error", "not a JSON-RPC message"),
    (b"{\"id\":1", "parse_error", "not a JSON-RPC message"),
    (b"\xff\xfe", "parse_error", "not valid UTF-8 (byte 0)"),
    (b"7", "invalid_request", "not a JSON-RPC message"),
    (b"{}", "invalid_request", "\"jsonrpc\""),
    (b"{\"id\":1}", "invalid_request", "\"jsonrpc\""),
    (b"[]", "invalid_request", "batch requests are not supported"),
    (b" [{\"jsonrpc\":\"2.0\"}]", "invalid_request", "batch requests are not supported"),
    (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}", "invalid_request", "\"2.0\""),
    (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}", "invalid_request", "id"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"x\"}", "invalid_request", "id"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "invalid_request", "unexpected response"),
];

/// Sends a message and returns the reply.
type Send = Box<dyn FnMut(&[u8]) -> Value>;

fn over_http() -> Send {
    let host = ServeProcess::with_adapter("x", "good");
    Box::new(move |message| {
        let (status, reply) = host.post(message);
        assert_eq!(status, 400, "{reply}");
        reply
    })
}

fn over_websocket() -> Send {
    let host = ServeProcess::with_adapter("x", "good");
    let socket = RawWebSocket::open(host.stream(), host.address(), &host.token, 4096);
    let mut socket = socket.expect("a WebSocket");
    Box::new(move |message| {
        // The host must outlive the connection.
        assert!(host.pid() > 0);
        socket.send_bytes(message).expect("the host listens");
        let reply = socket.next().expect("a message").expect("an open connection");
        serde_json::from_slice(reply).expect("JSON")
    })
}

fn over_stdio() -> Send {
    let mut host = StdioProcess::start(Scratch::with_adapter("x", "good"));
    Box::new(move |message| {
        host.send_bytes(message);
        host.next()
    })
}

/// The control socket of an active run.
#[cfg(target_os = "linux")]
fn over_control_socket() -> Send {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    let host = ServeProcess::with_adapter("x", "waits");
    let run_id = host.start_run("go");
    let mut events = host.follow(&run_id);
    assert!(events.any(|line| line.contains("\"waiting\"")), "the run is active");
    // The socket's own path may be too long for an address.
    let folder = std::fs::File::open(host.scratch.path("od/runs").join(run_id)).expect("a folder");
    let path = format!("/proc/self/fd/{}/control.sock", folder.as_raw_fd());
    let mut stream = BufReader::new(UnixStream::connect(path).expect("the owner listens"));
    Box::new(move |message| {
        assert!(host.pid() > 0);
        stream.get_mut().write_all(&[message, b"\n"].concat()).expect("the owner reads");
        let mut line = String::new();
        stream.read_line(&mut line).expect("a reply");
        serde_json::from_str(&line).expect("JSON")
    })
}

#[test]
fn invalid_messages_get_same_error_on_every_transport() {
    let mut transports = vec![
        ("HTTP", over_http()),
        ("WebSocket", over_websocket()),
        ("stdio", over_stdio()),
        #[cfg(target_os = "linux")]
        ("control socket", over_control_socket()),
    ];
    for (message, expected_kind, expected_text) in MESSAGES {
        let shown = String::from_utf8_lossy(message);
        let mut replies = Vec::new();
        for (name, send) in &mut transports {
            let reply = send(message);
            let error = &reply["error"];
            assert_eq!(kind(error), expected_kind, "{shown} over {name}: {reply}");
            let text = error["message"].as_str().unwrap_or_default();
            assert!(text.contains(expected_text), "{shown} over {name}: {reply}");
            assert!(error["data"]["hint"].is_string(), "{shown} over {name}: {reply}");
            replies.push((*name, reply));
        }
        let (_, first) = &replies[0];
        for (name, reply) in &replies {
            assert_eq!(reply, first, "{shown} over {name}");
        }
    }
}

#[test]
fn oversized_message_gets_same_error_on_every_transport() {
    let scratch = || {
        let scratch = Scratch::with_adapter("x", "good");
        scratch.write_settings("[serve]\nmaxRequestBytes = 1000\n");
        scratch
    };
    let message = vec![b'x'; 5000];
    let host = ServeProcess::start(scratch(), &[]);
    let (status, over_http) = host.post(&message);
    assert_eq!((status, kind(&over_http["error"])), (413, "_od.too_large"));
    let socket = RawWebSocket::open(host.stream(), host.address(), &host.token, 4096);
    let mut socket = socket.expect("a WebSocket");
    socket.send_bytes(&message).expect("the host listens");
    let over_websocket = socket.next().expect("a message").expect("an open connection");
    let over_websocket: Value = serde_json::from_slice(over_websocket).expect("JSON");
    assert_eq!(over_websocket, over_http);
    let mut host = StdioProcess::start(scratch());
    host.send_bytes(&message);
    assert_eq!(host.next(), over_http);
}
