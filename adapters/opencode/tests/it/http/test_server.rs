//! A server on loopback that answers each GET by its path, and a machine whose runs are attached to it.

use std::io::{Read, Write};
use std::net::TcpListener;

use od_sdk::Machine;
use serde_json::json;

/// A path with its query, the status and the body.
pub(crate) type Answer = (&'static str, u16, &'static str);

/// Starts the server, which answers every other path with a web page. Its thread ends with the tests.
pub(crate) fn serve(answers: &'static [Answer]) -> Machine {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut request = [0; 4096];
            let count = stream.read(&mut request).expect("a request");
            let request = String::from_utf8_lossy(&request[..count]).into_owned();
            let is_requested = |path: &str| request.starts_with(&format!("GET {path} "));
            let answer = answers.iter().find(|(path, ..)| is_requested(path));
            let (_, status, body) = answer.copied().unwrap_or(("", 200, "<html>"));
            let length = body.len();
            let reply = format!(
                "HTTP/1.1 {status} OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            stream.write_all(reply.as_bytes()).expect("a reply");
        }
    });
    let options = json!({"serverUrl": url}).as_object().cloned().unwrap_or_default();
    Machine { options, ..Machine::default() }
}
