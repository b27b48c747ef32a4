//! A bound address: what was asked for, checked, and ready to serve.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::attach::Attachments;
use super::guard::{AllowedHost, AllowedOrigin, Guard};
use super::limits::TimeLimits;
use super::rate::Rates;
use super::router::Router;
use super::settings::ServeSettings;
use super::token::Token;
use super::websocket::{Farewell, WebSocket};
use super::{listen, tls};
use crate::error::HostError;
use crate::service::Service;

/// What `od-host serve` was asked for.
#[derive(Debug, Clone, Default)]
pub struct ServeOptions {
    /// Limits, and the address to listen at.
    pub settings: ServeSettings,
    /// Speak TLS.
    pub tls: Option<TlsFiles>,
    /// Listen beyond loopback without TLS.
    pub insecure_bind: bool,
    /// How long clients may take.
    pub limits: TimeLimits,
}

/// A certificate and its key, in PEM form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, with those between it and the root.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// See the module.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    token: Token,
    router: Router,
    farewell: Farewell,
}

impl Server {
    /// Binds the address; nobody is answered yet.
    ///
    /// # Errors
    /// When the address cannot be had or may not be used as asked, when the certificate or the token
    /// cannot be used.
    pub async fn bind(service: Service, options: ServeOptions) -> Result<Self, HostError> {
        let ServeOptions { settings, tls, insecure_bind, limits } = options;
        let wanted = resolve(&settings.bind)?;
        let tls = tls.as_ref().map(tls::acceptor).transpose()?;
        check_reach(wanted, tls.is_some(), insecure_bind)?;
        let hosts = settings.allow_hosts.iter().map(|text| AllowedHost::parse(text));
        let origins = settings.allow_origins.iter().map(|text| AllowedOrigin::parse(text));
        let (hosts, origins) =
            (hosts.collect::<Result<_, _>>()?, origins.collect::<Result<_, _>>()?);
        let token = Token::read_or_make(service.host().home().token_file())?;
        let failed = |error| cannot_listen(wanted, &error);
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let guard = Guard { address, secure: tls.is_some(), hosts, origins, token: token.clone() };
        let attachments = Attachments::new(service.clone());
        let (websocket, farewell) = WebSocket::new(&attachments, &settings, &limits);
        let rates = Rates::new(settings.max_calls_per_second);
        let router = Router { service, settings, limits, guard, rates, attachments, websocket };
        Ok(Self { listener, address, tls, token, router, farewell })
    }

    /// Where it listens, with the port it really has.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where calls go: `http://127.0.0.1:7456`.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Where WebSockets go: `ws://127.0.0.1:7456`.
    pub fn websocket_url(&self) -> String {
        self.url().replacen("http", "ws", 1)
    }

    /// What clients must show.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// Answers until `stop` is over, then lets what is being answered end.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, tls, router, farewell, .. } = self;
        listen::serve(listener, tls, router, farewell, stop).await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

fn resolve(bind: &str) -> Result<SocketAddr, HostError> {
    let hint = "--bind takes address:port, such as 127.0.0.1:7456; port 0 takes any that is free";
    let addresses = bind.to_socket_addrs().map_err(|error| {
        HostError::usage(format!("{bind:?} is no address to listen at: {error}")).with_hint(hint)
    })?;
    let mut addresses: Vec<SocketAddr> = addresses.collect();
    // `localhost` may be both; the older one is what most clients try first.
    addresses.sort_by_key(SocketAddr::is_ipv6);
    addresses.into_iter().next().ok_or_else(|| {
        HostError::usage(format!("the name in {bind:?} has no address")).with_hint(hint)
    })
}

/// Beyond loopback others can read what is sent in the clear, the token first of all.
fn check_reach(address: SocketAddr, secure: bool, insecure_bind: bool) -> Result<(), HostError> {
    if address.ip().is_loopback() || secure || insecure_bind {
        return Ok(());
    }
    let text = format!(
        "{address} can be reached from outside, and without TLS the token can be read on the way"
    );
    Err(HostError::usage(text).with_hint(
        "give --tls-cert FILE --tls-key FILE, or bind 127.0.0.1 and use ssh -L or a proxy; \
         --insecure-bind listens all the same",
    ))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> HostError {
    let text = format!("cannot listen at {address}: {error}");
    let port = address.port();
    HostError::usage(text).with_hint(match error.kind() {
        std::io::ErrorKind::AddrInUse => format!(
            "port {port} is in use, perhaps by another od-host serve; take another one: \
             od-host serve --bind {}:0",
            address.ip()
        ),
        std::io::ErrorKind::PermissionDenied => {
            format!(
                "port {port} is kept for the system; take one above 1023: --bind 127.0.0.1:7456"
            )
        }
        std::io::ErrorKind::AddrNotAvailable => {
            "no interface of this machine has that address; 127.0.0.1 is always there".to_owned()
        }
        _ => "take another address with --bind".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_loopback_it_wants_tls_or_a_clear_word() {
        let check = |address: &str, secure, insecure| {
            check_reach(address.parse().expect("an address"), secure, insecure).is_ok()
        };
        assert!(check("127.0.0.1:1", false, false) && check("[::1]:1", false, false));
        assert!(!check("0.0.0.0:1", false, false) && !check("192.168.0.1:1", false, false));
        assert!(!check("[::]:1", false, false));
        assert!(check("0.0.0.0:1", true, false) && check("0.0.0.0:1", false, true));
    }

    #[test]
    fn what_is_no_address_is_explained() {
        for bind in ["", "7456", "127.0.0.1", "127.0.0.1:port", "[::1"] {
            let error = resolve(bind).expect_err(bind);
            assert!(error.hint.is_some_and(|hint| hint.contains("127.0.0.1:7456")));
        }
        assert!(resolve("localhost:0").is_ok_and(|address| address.ip().is_loopback()));
    }
}
