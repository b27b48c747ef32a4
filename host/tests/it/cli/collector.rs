//! An OTLP collector on loopback, optionally with TLS, that keeps the received requests.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Ends a test that waits for a request that never comes.
const TIMEOUT: Duration = Duration::from_secs(20);

/// One request.
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Bytes,
}

/// See the module. Its thread ends with the test process.
pub(crate) struct Collector {
    endpoint: String,
    received: Receiver<Received>,
    distrusted: Receiver<()>,
}

/// Reports of the collector's thread.
#[derive(Clone)]
struct Reports {
    received: Sender<Received>,
    distrusted: Sender<()>,
}

impl Collector {
    /// Plain HTTP.
    pub(crate) fn start() -> Self {
        Self::listen("http", None)
    }

    /// Over TLS, with the files of a certificate and its key.
    pub(crate) fn start_tls(certificate: &Path, key: &Path) -> Self {
        let certificate = CertificateDer::from_pem_file(certificate).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(key).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                config.with_no_client_auth().with_single_cert(vec![certificate], key)
            })
            .expect("a matching key");
        Self::listen("https", Some(TlsAcceptor::from(Arc::new(config))))
    }

    fn listen(scheme: &str, acceptor: Option<TlsAcceptor>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address: SocketAddr = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a listener for tokio");
        let (received_sender, received) = channel();
        let (distrusted_sender, distrusted) = channel();
        let reports = Reports { received: received_sender, distrusted: distrusted_sender };
        std::thread::spawn(move || serve(listener, acceptor, reports));
        Self { endpoint: format!("{scheme}://{address}"), received, distrusted }
    }

    /// The value of `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub(crate) fn endpoint(&self) -> String {
        self.endpoint.clone()
    }

    /// Waits for the next request.
    pub(crate) fn next(&self) -> Received {
        self.received.recv_timeout(TIMEOUT).expect("a request arrives")
    }

    /// Waits until a client aborts the TLS handshake.
    pub(crate) fn wait_for_distrust(&self) {
        self.distrusted.recv_timeout(TIMEOUT).expect("a client does not trust the collector");
    }
}

impl Received {
    /// Its spans.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let request = ExportTraceServiceRequest::decode(self.body.clone()).expect("OTLP");
        let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    /// The resource attributes.
    pub(crate) fn resource(&self) -> Vec<KeyValue> {
        let request = ExportTraceServiceRequest::decode(self.body.clone()).expect("OTLP");
        let resources = request.resource_spans.into_iter().filter_map(|spans| spans.resource);
        resources.flat_map(|resource| resource.attributes).collect()
    }
}

/// An attribute as text.
pub(crate) fn attribute(attributes: &[KeyValue], name: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == name)?;
    Some(match found.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => text.clone(),
        any_value::Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn serve(listener: std::net::TcpListener, acceptor: Option<TlsAcceptor>, reports: Reports) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let (acceptor, reports) = (acceptor.clone(), reports.clone());
        tokio::spawn(async move {
            match acceptor {
                None => serve_connection(stream, reports.received).await,
                Some(acceptor) => match acceptor.accept(stream).await {
                    Ok(stream) => serve_connection(stream, reports.received).await,
                    // The test may have ended while the host still tries.
                    Err(_) => drop(reports.distrusted.send(())),
                },
            }
        });
    }
}

/// A client that closes without a TLS close message is fine.
async fn serve_connection(stream: impl AsyncRead + AsyncWrite + Unpin, sender: Sender<Received>) {
    let service = service_fn(move |request| keep(request, sender.clone()));
    http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.ok();
}

async fn keep(
    request: Request<Incoming>,
    sender: Sender<Received>,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a whole request").to_bytes();
    let received = Received { path: parts.uri.to_string(), headers: parts.headers, body };
    sender.send(received).expect("the test waits");
    Ok(Response::new(Empty::new()))
}
