//! Token, Host, Origin and limits against the real binary. The unit tests of `guard` cover the rules.

use std::io::{Read, Write};

use serde_json::json;

use super::server_process::ServeProcess;
use crate::cli::scratch::Scratch;

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"host/info"}"#;

/// A POST of a call with these headers besides its length.
fn post(host: &ServeProcess, headers: &[(&str, &str)]) -> String {
    let mut request = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n", CALL.len());
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    host.raw(&format!("{request}Connection: close\r\n\r\n{CALL}"))
}

fn upgrade(host: &ServeProcess, headers: &str) -> String {
    let address = host.address();
    let mut stream = host.stream();
    let request = format!(
        "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    );
    stream.write_all(request.as_bytes()).expect("the host listens");
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") && stream.read(&mut byte).expect("a reply") > 0 {
        answer.push(byte[0]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn call_needs_token_host_and_json() {
    let host = ServeProcess::with_adapter("x", "good");
    let token = format!("Bearer {}", host.token);
    let address = host.address();
    let good = [("Host", address), ("Authorization", &token), ("Content-Type", "application/json")];
    assert!(post(&host, &good).starts_with("HTTP/1.1 200 "));

    let wrong = format!("Bearer {}", host.token.to_uppercase());
    let changed: [(usize, (&str, &str), &str, &str); 5] = [
        (1, ("Authorization", &wrong), "401", "_od.unauthorized"),
        (1, ("X-Nothing", ""), "401", "_od.unauthorized"),
        (0, ("Host", "evil.example"), "403", "_od.forbidden"),
        (2, ("Content-Type", "text/plain"), "415", "invalid_request"),
        (2, ("X-Nothing", ""), "415", "invalid_request"),
    ];
    for (at, header, status, kind) in changed {
        let mut headers = good;
        headers[at] = header;
        let answer = post(&host, &headers);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{header:?}: {answer}");
        assert!(answer.contains(kind), "{answer}");
    }
    let log = host.log();
    assert!(log.contains("reason=\"token\""), "the refusal is logged: {log}");
    assert!(!log.contains(&host.token), "the token is not printed without a terminal: {log}");
    assert!(!log.contains(&host.token.to_uppercase()), "a wrong token is not printed: {log}");
}

#[test]
fn only_allowed_origin_may_call() {
    let scratch = Scratch::with_adapter("x", "good");
    let host = ServeProcess::start(scratch, &["--allow-origin", "http://localhost:5173"]);
    let token = format!("Bearer {}", host.token);
    let headers = |origin| {
        let address = host.address();
        let json = ("Content-Type", "application/json");
        [("Host", address), ("Authorization", token.as_str()), json, ("Origin", origin)]
    };
    let evil = post(&host, &headers("https://evil.example"));
    assert!(evil.starts_with("HTTP/1.1 403 ") && evil.contains("_od.forbidden"), "{evil}");
    assert!(!evil.contains("access-control"), "{evil}");
    let allowed = post(&host, &headers("http://localhost:5173"));
    assert!(allowed.starts_with("HTTP/1.1 200 "), "{allowed}");
    assert!(
        allowed.contains("access-control-allow-origin: http://localhost:5173\r\n"),
        "{allowed}"
    );

    let preflight = |origin: &str| {
        host.raw(&format!(
            "OPTIONS / HTTP/1.1\r\nHost: {}\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Access-Control-Request-Method: POST\r\n\r\n",
            host.address()
        ))
    };
    let allowed = preflight("http://localhost:5173");
    assert!(allowed.starts_with("HTTP/1.1 204 "), "{allowed}");
    assert!(allowed.contains("access-control-allow-headers: authorization"), "{allowed}");
    assert!(preflight("https://evil.example").starts_with("HTTP/1.1 403 "));
}

#[test]
fn cross_site_form_starts_no_run() {
    let host = ServeProcess::with_adapter("x", "good");
    let start =
        json!({"jsonrpc": "2.0", "id": 1, "method": "runs/start", "params": host.task("go")});
    let (start, token) = (start.to_string(), host.token.clone());
    let send = |name: &str, headers: &str| {
        let request = format!(
            "POST / HTTP/1.1\r\nHost: {name}\r\n{headers}Content-Length: {}\r\n\
             Connection: close\r\n\r\n{start}",
            start.len()
        );
        host.raw(&request)
    };
    // A form of another site: no preflight, no token, not JSON.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let headers = format!("Origin: https://evil.example\r\nContent-Type: {kind}\r\n");
        let answer = send(host.address(), &headers);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{kind}: {answer}");
    }
    // A foreign name that resolves to this machine, even with the token.
    let json = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
    let rebound = send(&format!("evil.example:{}", port(&host)), &json);
    assert!(rebound.starts_with("HTTP/1.1 403 "), "{rebound}");
    let runs = host.call("runs/list", json!({})).expect("a list")["runs"].clone();
    assert_eq!(runs, json!([]), "no run was started");
    assert!(send(host.address(), &json).starts_with("HTTP/1.1 200 "), "the call itself is valid");
}

fn port(host: &ServeProcess) -> &str {
    host.address().rsplit(':').next().expect("a port")
}

#[test]
fn websocket_checks_token_and_origin() {
    let host = ServeProcess::with_adapter("x", "good");
    let token = &host.token;
    let bearer = upgrade(&host, &format!("Authorization: Bearer {token}\r\n"));
    assert!(bearer.starts_with("HTTP/1.1 101 "), "{bearer}");
    assert!(!bearer.contains("sec-websocket-protocol"), "none was offered: {bearer}");
    let offered = format!("Sec-WebSocket-Protocol: od.v1, od.token.{token}\r\n");
    let browser = upgrade(&host, &offered);
    assert!(browser.starts_with("HTTP/1.1 101 "), "{browser}");
    assert!(browser.contains("sec-websocket-protocol: od.v1\r\n"), "{browser}");
    assert!(!browser.contains(token.as_str()), "{browser}");

    assert!(upgrade(&host, "").starts_with("HTTP/1.1 401 "));
    let wrong = "Sec-WebSocket-Protocol: od.v1, od.token.wrong\r\n";
    assert!(upgrade(&host, wrong).starts_with("HTTP/1.1 401 "));
    let evil = format!("{offered}Origin: https://evil.example\r\n");
    assert!(upgrade(&host, &evil).starts_with("HTTP/1.1 403 "));
}

#[test]
fn rate_limit_refuses_calls() {
    let scratch = Scratch::with_adapter("x", "good");
    let settings = "[serve]\nmaxCallsPerSecond = 1\n";
    scratch.write_settings(settings);
    let host = ServeProcess::start(scratch, &[]);
    let run_of = |_| host.post(CALL);
    let answers: Vec<_> = (0..5).map(run_of).collect();
    assert_eq!(answers[0].0, 200);
    let refused = answers.iter().find(|(status, _)| *status == 429).expect("one is refused");
    assert_eq!(refused.1["error"]["data"]["kind"], "_od.too_many_calls");
    assert_eq!(refused.1["error"]["data"]["retryable"], true);
    // Event streams are not counted.
    for _ in 0..5 {
        assert_eq!(host.get("/runs/nope/events", &[]).0, 404);
    }
}

#[test]
fn connection_above_maximum_is_refused() {
    let scratch = Scratch::with_adapter("x", "good");
    scratch.write_settings("[serve]\nmaxConnections = 1\n");
    let host = ServeProcess::start(scratch, &[]);
    let held = upgrade_and_hold(&host);
    let refused = host.raw("GET /health HTTP/1.1\r\n\r\n");
    assert!(
        refused.starts_with("HTTP/1.1 503 ") && refused.contains("maxConnections"),
        "{refused}"
    );
    drop(held);
    // Its slot is free when the host has noticed the close.
    let health = "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let answers = std::iter::repeat_with(|| host.raw(health));
    assert!(answers.take(10_000).any(|answer| answer.starts_with("HTTP/1.1 200 ")));
}

fn upgrade_and_hold(host: &ServeProcess) -> std::net::TcpStream {
    let mut stream = host.stream();
    let request = format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Authorization: Bearer {}\r\n\r\n",
        host.address(),
        host.token
    );
    stream.write_all(request.as_bytes()).expect("the host listens");
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).expect("a reply");
    assert_eq!(&begin, b"HTTP/1.1 101");
    stream
}

#[test]
fn token_is_not_printed_without_terminal() {
    let host = ServeProcess::with_adapter("x", "good");
    let (first, log) = (host.token.clone(), host.log());
    assert!(!log.contains(&first) && log.contains("clients need the token in "), "{log}");
    assert_eq!(host.ready["tokenFile"], json!(host.scratch.path("od/token")));
    let again =
        host.scratch.command(&["serve", "--bind", host.address()]).output().expect("an end");
    let stderr = String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("is in use") && stderr.contains("--bind 127.0.0.1:0"), "{stderr}");
    assert!(!stderr.contains(&first), "{stderr}");
}
