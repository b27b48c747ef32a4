//! HTTP for the exporter: one connection per request, with TLS for `https`. Logs the first failure and the recovery,
//! because the exporter itself reports a failure only after all its retries.

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
use opentelemetry_http::{Bytes, HttpClient as ExportClient, HttpError, Request, Response};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::tls_roots;
use crate::error::HostError;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// Sends the exporter's requests.
#[derive(Debug, Default)]
pub(super) struct HttpClient {
    /// The system's certificates are loaded with the first request, because loading them is slow.
    tls: OnceLock<Arc<ClientConfig>>,
    /// The last request failed, and the failure was logged.
    is_failing: AtomicBool,
}

impl HttpClient {
    /// Trusts the certificate authorities in this file, or the system's without a file.
    pub(super) fn new(certificate: Option<&Path>) -> Result<Self, HostError> {
        let tls = certificate.map(tls_roots::load_file).transpose()?;
        let tls = tls.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Self { tls, ..Self::default() })
    }

    /// Logs one warning when requests begin to fail, and one line when they succeed again.
    fn log_change(&self, place: &str, outcome: &Result<Response<Bytes>, HttpError>) {
        let error = match outcome {
            Ok(response) if response.status().is_success() => {
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("traces are sent again");
                }
                return;
            }
            Ok(response) => format!("{place}: the collector answered {}", response.status()),
            Err(error) => format!("{place}: {error}"),
        };
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            tracing::warn!(error, "cannot send traces; logged once until it works again");
        }
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let uri = request.uri().clone();
        let host = uri.host().ok_or("the endpoint has no host")?;
        let is_secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        let name = host.trim_matches(['[', ']']).to_owned();
        let stream = TcpStream::connect((name.as_str(), port)).await?;
        if !is_secure {
            return exchange(TokioIo::new(stream), request).await;
        }
        let tls = match self.tls.get() {
            Some(tls) => tls,
            None => {
                let tls = tls_roots::load_system()?;
                self.tls.get_or_init(|| tls)
            }
        };
        let connector = TlsConnector::from(Arc::clone(tls));
        let handshake = connector.connect(ServerName::try_from(name)?, stream).await;
        let stream = handshake.map_err(|error| tls_roots::describe_handshake_error(&error))?;
        exchange(TokioIo::new(stream), request).await
    }
}

#[async_trait]
impl ExportClient for HttpClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let place = place(request.uri());
        let response = tokio::time::timeout(REQUEST_TIMEOUT, self.send(request)).await;
        let timed_out = || format!("no answer within {} s", REQUEST_TIMEOUT.as_secs());
        let outcome = response.unwrap_or_else(|_| Err(timed_out().into()));
        self.log_change(&place, &outcome);
        outcome
    }
}

async fn exchange<S>(stream: S, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError>
where
    S: Read + Write + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(stream).await?;
    let connection = tokio::spawn(connection);
    let response = sender.send_request(to_origin_form(request)?).await?;
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await?.to_bytes();
    connection.abort();
    Ok(Response::from_parts(parts, body))
}

/// Converts the URL to a path and a `Host` header, as HTTP/1.1 requires.
fn to_origin_form(request: Request<Bytes>) -> Result<Request<Full<Bytes>>, HttpError> {
    let (mut parts, body) = request.into_parts();
    if let Some(authority) = parts.uri.authority() {
        let host = authority.as_str().rsplit('@').next().unwrap_or_default();
        parts.headers.insert(http::header::HOST, host.parse()?);
    }
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = path.parse()?;
    Ok(Request::from_parts(parts, Full::new(body)))
}

/// The URL without user, password and query, which may be secret.
fn place(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("http");
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{}{port}{}", uri.host().unwrap_or_default(), uri.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logged_url_has_no_secrets() {
        let uri: Uri = "https://me:secret@c.example:4318/v1/traces?key=abc".parse().expect("a URI");
        assert_eq!(place(&uri), "https://c.example:4318/v1/traces");
    }

    #[test]
    fn request_has_path_and_host_header() {
        let request = Request::post("http://c.example:4318/v1/traces?a=b").body(Bytes::new());
        let request = to_origin_form(request.expect("a request")).expect("a request");
        assert_eq!(request.uri(), "/v1/traces?a=b");
        assert_eq!(request.headers()["host"], "c.example:4318");
    }
}
