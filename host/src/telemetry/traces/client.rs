//! HTTP for the exporter: one request, one connection, with TLS where the address asks for it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
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
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long one request may take.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// A collector has little to say.
const LARGEST_ANSWER: usize = 1024 * 1024;

/// Sends the exporter's requests.
#[derive(Debug, Default)]
pub(super) struct Client {
    /// Made when it is first needed: reading the system's certificates takes a while.
    tls: OnceLock<Arc<ClientConfig>>,
    /// Why the last request did not arrive: the exporter itself only says that it did not.
    last_error: Mutex<Option<String>>,
}

impl Client {
    /// Why the last request did not arrive, once.
    pub(super) fn last_error(&self) -> Option<String> {
        self.last_error.lock().unwrap_or_else(PoisonError::into_inner).take()
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
                let tls = trust_the_system()?;
                self.tls.get_or_init(|| tls)
            }
        };
        let connector = TlsConnector::from(Arc::clone(tls));
        let stream = connector.connect(ServerName::try_from(name)?, stream).await?;
        exchange(TokioIo::new(stream), request).await
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let place = place(request.uri());
        let outcome = match tokio::time::timeout(REQUEST_LIMIT, self.send(request)).await {
            Ok(Ok(response)) if response.status().is_success() => return Ok(response),
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(format!("no answer within {} s", REQUEST_LIMIT.as_secs()).into()),
        };
        let why = match &outcome {
            Ok(response) => format!("it answered {}", response.status()),
            Err(error) => error.to_string(),
        };
        let mut last_error = self.last_error.lock().unwrap_or_else(PoisonError::into_inner);
        *last_error = Some(format!("{place}: {why}"));
        outcome
    }
}

fn trust_the_system() -> Result<Arc<ClientConfig>, HttpError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
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
