//! TLS with a test certificate for 127.0.0.1.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use od_host::serve::TlsFiles;
use serde_json::{Value, json};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::raw_websocket::RawWebSocket;
use super::server_process::ServeProcess;
use crate::cli::scratch::Scratch;

type TlsStream = StreamOwned<ClientConnection, TcpStream>;

/// A file of the folder `tls`.
pub(super) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/serve/tls").join(name)
}

/// The certificate and its key.
pub(super) fn test_files() -> TlsFiles {
    TlsFiles { certificate: file("certificate.pem"), key: file("key.pem") }
}

fn tls_host(mode: &str) -> ServeProcess {
    let TlsFiles { certificate, key } = test_files();
    let (certificate, key) = (certificate.display().to_string(), key.display().to_string());
    let arguments = ["--tls-cert", &certificate, "--tls-key", &key];
    ServeProcess::start(Scratch::with_adapter("x", mode), &arguments)
}

/// A client that trusts the certificate.
fn connect(host: &ServeProcess) -> TlsStream {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_file(test_files().certificate).expect("PEM");
    roots.add(certificate).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a client");
    StreamOwned::new(connection, host.stream())
}

/// One request over a new connection. HTTP/1.0, because its body has no chunk lengths.
fn request(host: &ServeProcess, head: &str, body: &str) -> String {
    let request = format!(
        "{head} HTTP/1.0\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        host.address(),
        host.token,
        body.len()
    );
    let mut stream = connect(host);
    stream.write_all(request.as_bytes()).expect("a handshake");
    let mut answer = Vec::new();
    // A missing TLS close message is an error; the data before it is complete.
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{error}");
    }
    let answer = String::from_utf8(answer).expect("UTF-8");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a reply");
    assert!(head.contains(" 200 "), "{answer}");
    body.to_owned()
}

/// The events of a run over a WebSocket.
fn follow(host: &ServeProcess, run_id: &str) -> Vec<Value> {
    let socket = RawWebSocket::open(connect(host), host.address(), &host.token, 4096);
    let mut socket = socket.expect("a WebSocket");
    let params = json!({"runId": run_id}).to_string();
    socket.request(1, "runs/attach", &params).expect("the host listens");
    let mut events = Vec::new();
    while events.last().is_none_or(|event: &Value| event["event"]["type"] != "done") {
        let message = socket.next().expect("a message").expect("it is open");
        let mut message: Value = serde_json::from_slice(message).expect("JSON");
        if let Value::Array(batch) = message["params"]["result"]["events"].take() {
            events.extend(batch);
        }
    }
    events
}

#[test]
fn tls_works_on_every_transport() {
    let host = tls_host("flood 2000");
    assert!(host.url().starts_with("https://127.0.0.1:"));
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "runs/start", "params": host.task("go")});
    let started: Value = serde_json::from_str(&request(&host, "POST /", &call.to_string()))
        .expect("an answer of JSON");
    let run_id = started["result"]["runId"].as_str().expect("a run");

    let followed = follow(&host, run_id);
    let stream = request(&host, &format!("GET /runs/{run_id}/events"), "");
    let data = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    let streamed: Vec<Value> =
        data.map(|data| serde_json::from_str(data).expect("an envelope")).collect();
    let journal = host.scratch.path("od/runs").join(run_id).join("events.jsonl");
    let journal = std::fs::read_to_string(journal).expect("a journal");
    let written: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str(line).expect("an envelope")).collect();
    assert_eq!(written.len(), 2002);
    assert!(followed == written, "{} events over the WebSocket", followed.len());
    assert!(streamed == written, "{} server-sent events", streamed.len());
}

#[test]
fn plain_http_on_tls_port_is_refused() {
    let host = tls_host("good");
    let requests = [
        format!("GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n", host.token),
        "GET /health HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        "x".to_owned(),
    ];
    for request in requests {
        let answer = host.raw(&request);
        assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
        assert!(answer.contains("invalid_request") && answer.contains("https://"), "{answer}");
    }
    let metrics = request(&host, "GET /metrics", "");
    let count = "od_api_refused_total{reason=\"malformed\"} 3";
    assert!(metrics.lines().any(|line| line == count), "{metrics}");
}

#[test]
fn mismatched_key_is_refused_with_hint() {
    let scratch = Scratch::new();
    let certificate = file("certificate.pem").display().to_string();
    let arguments = ["serve", "--bind", "127.0.0.1:0", "--tls-cert", &certificate];
    let finished = scratch.od_host(&[&arguments[..], &["--tls-key", &certificate]].concat());
    finished.fails_with(2, "--tls-key: cannot use", "PEM");
    let (other, key) = (file("other.pem"), file("key.pem"));
    let (other, key) = (other.display().to_string(), key.display().to_string());
    let arguments = ["serve", "--bind", "127.0.0.1:0", "--tls-cert", &other, "--tls-key", &key];
    scratch.od_host(&arguments).fails_with(2, "does not belong to the certificate", "private key");
}
