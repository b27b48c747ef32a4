//! `serverUrl` in the options of the host's settings, through the real executable.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

/// Keeps a failing test from hanging.
const TIMEOUT: Duration = Duration::from_secs(60);

#[test]
fn server_url_of_settings_attaches_run() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, first_request) = channel();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut request = [0; 1024];
        let count = stream.read(&mut request).expect("a request");
        let request = String::from_utf8_lossy(&request[..count]).into_owned();
        let reply = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(reply.as_bytes()).expect("a reply");
        sender.send(request).expect("the test waits");
    });
    let mut adapter = Command::new(env!("CARGO_BIN_EXE_od-adapter-opencode-http"))
        .arg("--stdio")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the adapter starts");
    let mut stdin = adapter.stdin.take().expect("piped");
    // Every run needs an agent CLI, even one that does not start it.
    let cli_path = std::env::current_exe().expect("this test is an executable");
    let initialize = json!({
        "protocol": {"min": 1, "max": 1},
        "host": {"name": "test", "version": "0"},
        "config": {"cliPath": cli_path, "options": {"serverUrl": url}},
    });
    let start = json!({
        "runId": "run",
        "cwd": std::env::temp_dir(),
        "prompt": {"text": "hello"},
        "session": {"mode": "new"},
    });
    for (id, method, params) in [(1, "initialize", initialize), (2, "run/start", start)] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(stdin, "{request}").expect("the adapter reads");
    }
    let request = first_request.recv_timeout(TIMEOUT).expect("the adapter connects to the server");
    assert!(request.starts_with("GET /global/health"), "{request}");
    let stdout = BufReader::new(adapter.stdout.take().expect("piped"));
    let messages = stdout.lines().map_while(Result::ok);
    let mut events = messages
        .map(|line| serde_json::from_str::<Value>(&line).expect("a message is JSON"))
        .map(|message| message["params"]["event"].clone());
    let done = events.find(|event| event["type"] == "done").expect("the run ends");
    assert_eq!(done["errorKind"], "auth_missing");
    drop(stdin);
    adapter.wait().expect("the adapter ends");
}
