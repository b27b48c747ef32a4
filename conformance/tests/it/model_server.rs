//! The fake model as a server: addresses, log, parallel and invalid requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::process::{Command, Stdio};

use od_conformance::model::{ModelError, ModelOptions, ModelServer};

use crate::model_client::{Exchange, connect, get, post, server};
use crate::model_format::{FORMATS, Format};
use crate::support::{CONFORMANCE, conformance};

#[test]
fn only_loopback_is_served() {
    let addresses: [IpAddr; 4] = [
        Ipv4Addr::UNSPECIFIED.into(),
        Ipv6Addr::UNSPECIFIED.into(),
        Ipv4Addr::new(192, 0, 2, 1).into(),
        Ipv4Addr::new(10, 0, 0, 1).into(),
    ];
    for address in addresses {
        let started = ModelServer::start(ModelOptions { address, ..ModelOptions::default() });
        assert!(matches!(started, Err(ModelError::NotLoopback(_))), "{address}");
    }
    conformance(&["model", "serve", "--host", "0.0.0.0"]).exits_with(2).prints(&[
        "loopback",
        "0.0.0.0",
        "hint: use 127.0.0.1",
    ]);
}

#[test]
fn port_in_use_is_error() {
    let server = server();
    let port = server.url().rsplit(':').next().expect("a port").to_owned();
    conformance(&["model", "serve", "--port", &port])
        .exits_with(2)
        .prints(&["cannot listen on 127.0.0.1", "hint: use --port 0"]);
}

#[test]
fn serve_prints_address_and_writes_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("new/log");
    let mut child = Command::new(CONFORMANCE)
        .args(["model", "serve", "--log"])
        .arg(&log)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the suite starts");
    let mut url = String::new();
    let stdout = child.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut url).expect("an address");
    let address = url.trim().strip_prefix("http://").expect("an address").to_owned();
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    let request = "POST /v1/messages HTTP/1.1\r\nhost: m\r\nx-api-key: hunter2\r\n\
                   connection: close\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    child.kill().expect("it ends");
    child.wait().expect("it ended");
    let text = std::fs::read_to_string(log.join("0001.json")).expect("a file for each request");
    assert!(text.contains("<redacted:7>") && !text.contains("hunter2"), "{text}");
}

#[test]
fn scenarios_are_listed() {
    conformance(&["model", "scenarios"]).exits_with(0).prints(&["SCN:plain", "SCN:r429long"]);
}

#[test]
fn requests_are_recorded_without_secrets() {
    let server = server();
    post(&server, "/v1/messages?beta=true", &Format::Anthropic.request("SCN:plain", true));
    post(
        &server,
        "/v1beta/models/m:generateContent?key=hunter2",
        &Format::Gemini.request("", false),
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].path, "/v1/messages?beta=true");
    assert_eq!(requests[0].wire, Some("anthropic"));
    assert_eq!(requests[0].body["messages"][0]["content"], "SCN:plain");
    let listed = get(&server, "GET", "/requests");
    assert_eq!(listed.json()["requests"][1]["number"], 2);
    assert!(!listed.text().contains("hunter2"), "{}", listed.text());
    assert_eq!(server.requests().len(), 2, "looking is not asking");
}

#[test]
fn requests_are_served_in_parallel() {
    let server = server();
    // These keep their connections open; the others must not wait for them.
    let open: Vec<Exchange> = (0..8)
        .map(|_| {
            Exchange::post(&server, "/v1/messages", &Format::Anthropic.request("SCN:hang", true))
        })
        .collect();
    std::thread::scope(|scope| {
        for number in 0..24 {
            let server = &server;
            scope.spawn(move || {
                let format = FORMATS[number % FORMATS.len()];
                let request = format.request(&format!("SCN:nonce number-{number}"), true);
                let response = post(server, format.path(true), &request);
                let text = format.text(&response.events());
                assert_eq!(text, format!("number-{number}"), "{format:?}");
            });
        }
    });
    assert!(open.iter().all(|exchange| exchange.status == 200));
    assert_eq!(server.requests().len(), 32);
}

#[test]
fn one_connection_serves_many_requests() {
    let server = server();
    let body = Format::Chat.request("SCN:plain", false).to_string();
    let request = |connection: &str| {
        format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: m\r\nconnection: {connection}\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let mut stream = connect(&server);
    let requests = [request("keep-alive"), request("keep-alive"), request("close")].concat();
    stream.write_all(requests.as_bytes()).expect("sent");
    let mut answers = String::new();
    stream.read_to_string(&mut answers).expect("answered");
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3, "{answers}");
}

#[test]
fn invalid_request_does_not_stop_server() {
    let server = server();
    let garbage: [&[u8]; 6] = [
        b"\0\x01\x02\xff\xfe\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /v1/messages HTTP/1.1\r\nhost: m\r\ncontent-length: 999999\r\n\r\n{\"mess",
        b"POST /v1/messages HTTP/1.1\r\nhost: m\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"",
    ];
    for bytes in garbage {
        let mut stream = connect(&server);
        stream.write_all(bytes).expect("sent");
        drop(stream);
    }
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let head =
        format!("POST /v1/messages HTTP/1.1\r\nhost: m\r\ncontent-length: {}\r\n\r\n", deep.len());
    assert_eq!(Exchange::raw(&server, &format!("{head}{deep}")).status, 400);
    let answer = post(&server, "/v1/messages", &Format::Anthropic.request("", false));
    assert_eq!(Format::Anthropic.whole_text(&answer.json()), "Hello from the fake model.");
}

#[test]
fn unknown_addresses_and_methods_are_refused() {
    let server = server();
    for (format, path) in [
        (Format::Anthropic, "/anthropic/v1/files"),
        (Format::Chat, "/v1/embeddings"),
        (Format::Gemini, "/v1beta/models/m:embedContent"),
    ] {
        let response = post(&server, path, &serde_json::json!({}));
        assert_eq!(response.status, 404, "{path}");
        format.error_kind(&response);
    }
    assert_eq!(get(&server, "GET", "/v1/messages").status, 405);
    assert_eq!(get(&server, "DELETE", "/v1/responses").status, 405);
}
