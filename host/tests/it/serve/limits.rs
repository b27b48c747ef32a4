//! Each time limit by itself, with a server in this process because the limits are not settings. All other limits
//! are so long that only the tested one can apply.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use od_host::serve::{ServeOptions, ServeSettings, Server, TimeLimits};
use od_host::service::Roots;
use od_host::{Service, ServiceOptions};
use tokio::runtime::Runtime;

use super::tls::test_files;
use crate::library::stage::Stage;

/// Ends a test whose limit does not work.
const TIMEOUT: Duration = Duration::from_secs(40);
const SHORT_LIMIT: Duration = Duration::from_millis(50);
const NO_LIMIT: Duration = Duration::from_secs(3600);

struct LocalServer {
    address: SocketAddr,
    token: String,
    _runtime: Runtime,
    _stage: Stage,
}

impl LocalServer {
    fn start(limits: TimeLimits, is_tls: bool) -> Self {
        let stage = Stage::new();
        let runtime = Runtime::new().expect("a runtime");
        let settings = ServeSettings { bind: "127.0.0.1:0".to_owned(), ..ServeSettings::default() };
        let options = ServiceOptions {
            roots: Roots::new([stage.work()]).expect("a root"),
            max_request_bytes: settings.max_request_bytes.into(),
            max_calls_per_second: settings.max_calls_per_second,
            drain: Duration::ZERO,
        };
        let tls = is_tls.then(test_files);
        let server = runtime.block_on(async {
            let service = Service::new(stage.host(), options);
            let options = ServeOptions { settings, tls, limits, ..ServeOptions::default() };
            Server::bind(service, options).await.expect("a free port")
        });
        let (address, token) = (server.address(), server.token().text().to_owned());
        runtime.spawn(server.run(std::future::pending()));
        Self { address, token, _runtime: runtime, _stage: stage }
    }

    /// Sends a text and nothing more; returns everything until the host closes the connection.
    fn send(&self, text: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).expect("the host listens");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a limit");
        stream.write_all(text.as_bytes()).expect("the host listens");
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => {
                panic!("the connection is still open: {error}")
            }
            _ => answer,
        }
    }
}

fn no_limits() -> TimeLimits {
    TimeLimits {
        handshake: NO_LIMIT,
        headers: NO_LIMIT,
        body: NO_LIMIT,
        stall: NO_LIMIT,
        ping: NO_LIMIT,
        silence: NO_LIMIT,
    }
}

#[test]
fn missing_headers_time_out() {
    let host = LocalServer::start(TimeLimits { headers: SHORT_LIMIT, ..no_limits() }, false);
    for text in ["", "GET / HTTP/1.1\r\nHost: 127"] {
        let answer = String::from_utf8_lossy(&host.send(text)).into_owned();
        assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    }
}

#[test]
fn missing_body_times_out() {
    let host = LocalServer::start(TimeLimits { body: SHORT_LIMIT, ..no_limits() }, false);
    let answer = host.send(&format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        host.address, host.token
    ));
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains(r#""kind":"timeout""#), "{answer}");
}

#[test]
fn silent_websocket_is_closed() {
    let host = LocalServer::start(
        TimeLimits { ping: SHORT_LIMIT, silence: SHORT_LIMIT, ..no_limits() },
        false,
    );
    let answer = host.send(&format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Authorization: Bearer {}\r\n\r\n",
        host.address, host.token
    ));
    assert!(answer.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&answer));
    let ping = [0x89, 0];
    assert!(answer.windows(2).any(|bytes| bytes == ping), "the client was pinged");
}

#[test]
fn missing_tls_handshake_times_out() {
    let host = LocalServer::start(TimeLimits { handshake: SHORT_LIMIT, ..no_limits() }, true);
    // The first bytes of an incomplete handshake.
    for text in ["", "\x16\x03\x01\x02\x00\x01"] {
        assert_eq!(host.send(text), b"");
    }
}
