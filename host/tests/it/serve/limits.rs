//! How long a client may take, each limit by itself: a server in this process, because they are no settings. All
//! other limits are so long that only the one in question can end the wait.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use od_host::serve::{ServeOptions, ServeSettings, Server, TimeLimits};
use od_host::service::Roots;
use od_host::{Service, ServiceOptions};
use tokio::runtime::Runtime;

use super::tls::own_files;
use crate::library::stage::Stage;

/// More than a busy machine takes, so that a test without its limit ends.
const PATIENCE: Duration = Duration::from_secs(40);
const SHORT: Duration = Duration::from_millis(50);
const ENDLESS: Duration = Duration::from_secs(3600);

struct Served {
    address: SocketAddr,
    token: String,
    _runtime: Runtime,
    _stage: Stage,
}

impl Served {
    fn start(limits: TimeLimits, is_secure: bool) -> Self {
        let stage = Stage::new();
        let runtime = Runtime::new().expect("a runtime");
        let settings = ServeSettings { bind: "127.0.0.1:0".to_owned(), ..ServeSettings::default() };
        let options = ServiceOptions {
            roots: Roots::new([stage.work()]).expect("a root"),
            max_request_bytes: settings.max_request_bytes.into(),
            max_calls_per_second: settings.max_calls_per_second,
            drain: Duration::ZERO,
        };
        let tls = is_secure.then(own_files);
        let server = runtime.block_on(async {
            let service = Service::new(stage.host(), options);
            let options = ServeOptions { settings, tls, limits, ..ServeOptions::default() };
            Server::bind(service, options).await.expect("a free port")
        });
        let (address, token) = (server.address(), server.token().text().to_owned());
        runtime.spawn(server.run(std::future::pending()));
        Self { address, token, _runtime: runtime, _stage: stage }
    }

    /// Says something and no more: everything that comes back until the host lets go.
    fn say(&self, text: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.write_all(text.as_bytes()).expect("it listens");
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => {
                panic!("it is still there: {error}")
            }
            _ => answer,
        }
    }
}

fn endless() -> TimeLimits {
    TimeLimits {
        handshake: ENDLESS,
        headers: ENDLESS,
        body: ENDLESS,
        stall: ENDLESS,
        ping: ENDLESS,
        silence: ENDLESS,
    }
}

#[test]
fn headers_that_do_not_come_are_not_waited_for() {
    let host = Served::start(TimeLimits { headers: SHORT, ..endless() }, false);
    for text in ["", "GET / HTTP/1.1\r\nHost: 127"] {
        let answer = String::from_utf8_lossy(&host.say(text)).into_owned();
        assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    }
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let host = Served::start(TimeLimits { body: SHORT, ..endless() }, false);
    let answer = host.say(&format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        host.address, host.token
    ));
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains(r#""kind":"timeout""#), "{answer}");
}

#[test]
fn a_websocket_whose_peer_has_vanished_is_let_go() {
    let host = Served::start(TimeLimits { ping: SHORT, silence: SHORT, ..endless() }, false);
    let answer = host.say(&format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Authorization: Bearer {}\r\n\r\n",
        host.address, host.token
    ));
    assert!(answer.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&answer));
    let ping = [0x89, 0];
    assert!(answer.windows(2).any(|bytes| bytes == ping), "it was asked whether it is there");
}

#[test]
fn a_handshake_that_does_not_come_is_not_waited_for() {
    let host = Served::start(TimeLimits { handshake: SHORT, ..endless() }, true);
    // The first bytes of a greeting that promises more.
    for text in ["", "\x16\x03\x01\x02\x00\x01"] {
        assert_eq!(host.say(text), b"");
    }
}
