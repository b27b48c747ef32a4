//! HTTP for the exporter: one request, one connection, with TLS where the address asks for it. It also tells when
//! requests begin to fail, for the exporter itself only says that they did, and after all its tries.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use http::Uri;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::trust;
use crate::error::HostError;

/// How long one request may take.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// A collector has little to say.
const LARGEST_ANSWER: usize = 1024 * 1024;

/// Sends the exporter's requests.
#[derive(Debug, Default)]
pub(super) struct Client {
    /// Without a certificate of its own made when it is first needed: reading the system's takes a while.
    tls: OnceLock<Arc<ClientConfig>>,
    /// The last request did not arrive, and that was told.
    failing: AtomicBool,
}

impl Client {
    /// For a collector that shows a certificate signed by one in this file; `None`: by one the system trusts.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub(super) fn new(certificate: Option<&Path>) -> Result<Self, HostError> {
        let tls = certificate.map(trust::file).transpose()?;
        let tls = tls.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Self { tls, ..Self::default() })
    }

    /// One warning when it begins to fail, one line when it works again.
    fn tell(&self, place: &str, outcome: &Result<Response<Bytes>, HttpError>) {
        let error = match outcome {
            Ok(response) if response.status().is_success() => {
                if self.failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("traces arrive again");
                }
                return;
            }
            Ok(response) => format!("{place}: it answered {}", response.status()),
            Err(error) => format!("{place}: {error}"),
        };
        if !self.failing.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                error,
                "traces cannot be sent; this is told once until they arrive again"
            );
        }
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let uri = request.uri().clone();
        let host = uri.host().ok_or("the address names no host")?;
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let name = host.trim_matches(['[', ']']).to_owned();
        let stream = TcpStream::connect((name.as_str(), port)).await?;
        if !secure {
            return exchange(TokioIo::new(stream), request).await;
        }
        let tls = match self.tls.get() {
            Some(tls) => tls,
            None => {
                let tls = trust::system()?;
                self.tls.get_or_init(|| tls)
            }
        };
        let connector = TlsConnector::from(Arc::clone(tls));
        let shaken = connector.connect(ServerName::try_from(name)?, stream).await;
        let stream = shaken.map_err(|error| trust::explain(&error))?;
        exchange(TokioIo::new(stream), request).await
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let place = place(request.uri());
        let answer = tokio::time::timeout(REQUEST_LIMIT, self.send(request)).await;
        let too_late = || format!("no answer within {} s", REQUEST_LIMIT.as_secs());
        let outcome = answer.unwrap_or_else(|_| Err(too_late().into()));
        self.tell(&place, &outcome);
        outcome
    }
}

async fn exchange<S>(stream: S, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError>
where
    S: Read + Write + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(stream).await?;
    let connection = tokio::spawn(connection);
    let response = sender.send_request(on_connection(request)?).await?;
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, LARGEST_ANSWER).collect().await?.to_bytes();
    connection.abort();
    Ok(Response::from_parts(parts, body))
}

/// On a connection a request names the path; the rest of the address is its `Host`.
fn on_connection(request: Request<Bytes>) -> Result<Request<Full<Bytes>>, HttpError> {
    let (mut parts, body) = request.into_parts();
    if let Some(authority) = parts.uri.authority() {
        let host = authority.as_str().rsplit('@').next().unwrap_or_default();
        parts.headers.insert(http::header::HOST, host.parse()?);
    }
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = path.parse()?;
    Ok(Request::from_parts(parts, Full::new(body)))
}

/// An address without what may be secret in it.
fn place(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("http");
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{}{port}{}", uri.host().unwrap_or_default(), uri.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_the_address_is_not_told() {
        let uri: Uri = "https://me:word@c.example:4318/v1/traces?key=abc".parse().expect("a URI");
        assert_eq!(place(&uri), "https://c.example:4318/v1/traces");
    }

    #[test]
    fn a_request_on_a_connection_names_path_and_host() {
        let request = Request::post("http://c.example:4318/v1/traces?a=b").body(Bytes::new());
        let request = on_connection(request.expect("a request")).expect("a request");
        assert_eq!(request.uri(), "/v1/traces?a=b");
        assert_eq!(request.headers()["host"], "c.example:4318");
    }
}
