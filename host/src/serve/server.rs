//! The network server: checks its options, binds its address, serves until it is stopped.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::guard::{AllowedHost, AllowedOrigin, Guard};
use super::limits::TimeLimits;
use super::rate::RateLimits;
use super::router::Router;
use super::subscription::RunSubscriptions;
use super::token::Token;
use super::websocket::{Shutdown, WebSockets};
use super::{listen, tls};
use crate::error::HostError;
use crate::service::Service;
use crate::settings::ServeSettings;

/// The options of `od-host serve`.
#[derive(Debug, Clone, Default)]
pub struct ServeOptions {
    /// Limits, and the address to listen on.
    pub settings: ServeSettings,
    /// Serve TLS with these files.
    pub tls: Option<TlsFiles>,
    /// Listen beyond loopback without TLS.
    pub insecure_bind: bool,
    /// Time limits for clients.
    pub limits: TimeLimits,
}

/// A certificate and its key, in PEM form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// A bound address that is ready to serve.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    token: Token,
    router: Router,
    shutdown: Shutdown,
}

impl Server {
    /// Binds the address; does not accept connections yet.
    ///
    /// # Errors
    /// When the address cannot be bound or needs TLS, or when the certificate or the token cannot be used.
    pub async fn bind(service: Service, options: ServeOptions) -> Result<Self, HostError> {
        let ServeOptions { settings, tls, insecure_bind, limits } = options;
        let requested = resolve(&settings.bind)?;
        let tls = tls.as_ref().map(tls::acceptor).transpose()?;
        check_exposure(requested, tls.is_some(), insecure_bind)?;
        let hosts = settings.allow_hosts.iter().map(|text| AllowedHost::parse(text));
        let origins = settings.allow_origins.iter().map(|text| AllowedOrigin::parse(text));
        let (hosts, origins) =
            (hosts.collect::<Result<_, _>>()?, origins.collect::<Result<_, _>>()?);
        let token = Token::load_or_create(service.host().home().token_file())?;
        let failed = |error| cannot_listen(requested, &error);
        let listener = TcpListener::bind(requested).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let guard = Guard { address, is_tls: tls.is_some(), hosts, origins, token: token.clone() };
        let subscriptions = RunSubscriptions::new(service.clone());
        let (websockets, shutdown) = WebSockets::new(subscriptions.clone(), &settings, limits);
        let rates = RateLimits::new(settings.max_calls_per_second);
        let router = Router { service, settings, limits, guard, rates, subscriptions, websockets };
        Ok(Self { listener, address, tls, token, router, shutdown })
    }

    /// The address with its actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL for calls: `http://127.0.0.1:7456`.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The URL for WebSockets: `ws://127.0.0.1:7456`.
    pub fn websocket_url(&self) -> String {
        self.url().replacen("http", "ws", 1)
    }

    /// The token that clients must send.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// Serves until `stop` completes, then finishes the requests in progress.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, tls, router, shutdown, .. } = self;
        listen::serve(listener, tls, router, shutdown, stop).await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

fn resolve(bind: &str) -> Result<SocketAddr, HostError> {
    let hint = "--bind expects address:port, such as 127.0.0.1:7456; port 0 picks a free port";
    let addresses = bind.to_socket_addrs().map_err(|error| {
        HostError::usage(format!("{bind:?} is not an address to listen on: {error}"))
            .with_hint(hint)
    })?;
    let mut addresses: Vec<SocketAddr> = addresses.collect();
    // `localhost` may resolve to IPv4 and IPv6; most clients try IPv4 first.
    addresses.sort_by_key(SocketAddr::is_ipv6);
    addresses
        .into_iter()
        .next()
        .ok_or_else(|| HostError::usage(format!("{bind:?} resolves to no address")).with_hint(hint))
}

/// Outside of loopback, others can read unencrypted traffic, including the token.
fn check_exposure(address: SocketAddr, secure: bool, insecure_bind: bool) -> Result<(), HostError> {
    if address.ip().is_loopback() || secure || insecure_bind {
        return Ok(());
    }
    let text = format!(
        "{address} is reachable from other machines, and without TLS they can read the token"
    );
    Err(HostError::usage(text).with_hint(
        "use --tls-cert FILE --tls-key FILE, or bind 127.0.0.1 and use ssh -L or a proxy; \
         --insecure-bind accepts the risk",
    ))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> HostError {
    let text = format!("cannot listen on {address}: {error}");
    let port = address.port();
    HostError::usage(text).with_hint(match error.kind() {
        std::io::ErrorKind::AddrInUse => format!(
            "port {port} is in use, perhaps by another od-host serve; choose another one: \
             od-host serve --bind {}:0",
            address.ip()
        ),
        std::io::ErrorKind::PermissionDenied => {
            format!(
                "ports below 1024 need privileges (this is {port}); choose another one: --bind 127.0.0.1:7456"
            )
        }
        std::io::ErrorKind::AddrNotAvailable => {
            "no network interface of this machine has that address; 127.0.0.1 always exists".to_owned()
        }
        _ => "choose another address with --bind".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_address_needs_tls_or_insecure_bind() {
        let check = |address: &str, secure, insecure| {
            check_exposure(address.parse().expect("an address"), secure, insecure).is_ok()
        };
        assert!(check("127.0.0.1:1", false, false) && check("[::1]:1", false, false));
        assert!(!check("0.0.0.0:1", false, false) && !check("192.168.0.1:1", false, false));
        assert!(!check("[::]:1", false, false));
        assert!(check("0.0.0.0:1", true, false) && check("0.0.0.0:1", false, true));
    }

    #[test]
    fn invalid_bind_address_shows_example() {
        for bind in ["", "7456", "127.0.0.1", "127.0.0.1:port", "[::1"] {
            let error = resolve(bind).expect_err(bind);
            assert!(error.hint.is_some_and(|hint| hint.contains("127.0.0.1:7456")));
        }
        assert!(resolve("localhost:0").is_ok_and(|address| address.ip().is_loopback()));
    }
}
