//! A collector of traces on loopback, with TLS where a test wants it: keeps what arrives.

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

/// More than a message takes, so that a test which waits in vain ends.
const PATIENCE: Duration = Duration::from_secs(20);

/// One message.
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Bytes,
}

/// See the module. Its thread ends with the tests.
pub(crate) struct Collector {
    endpoint: String,
    received: Receiver<Received>,
    distrusted: Receiver<()>,
}

/// Where the collector's thread tells what happens.
#[derive(Clone)]
struct Tell {
    received: Sender<Received>,
    distrusted: Sender<()>,
}

impl Collector {
    /// In the clear.
    pub(crate) fn start() -> Self {
        Self::begin("http", None)
    }

    /// Over TLS, with the files of a certificate and its key.
    pub(crate) fn start_secure(certificate: &Path, key: &Path) -> Self {
        let certificate = CertificateDer::from_pem_file(certificate).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(key).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                config.with_no_client_auth().with_single_cert(vec![certificate], key)
            })
            .expect("a key that fits");
        Self::begin("https", Some(TlsAcceptor::from(Arc::new(config))))
    }

    fn begin(scheme: &str, acceptor: Option<TlsAcceptor>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address: SocketAddr = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a listener for tokio");
        let (received_sender, received) = channel();
        let (distrusted_sender, distrusted) = channel();
        let tell = Tell { received: received_sender, distrusted: distrusted_sender };
        std::thread::spawn(move || serve(listener, acceptor, tell));
        Self { endpoint: format!("{scheme}://{address}"), received, distrusted }
    }

    /// What `OTEL_EXPORTER_OTLP_ENDPOINT` takes.
    pub(crate) fn endpoint(&self) -> String {
        self.endpoint.clone()
    }

    /// The next message.
    pub(crate) fn next(&self) -> Received {
        self.received.recv_timeout(PATIENCE).expect("a message arrives")
    }

    /// Waits until one more client has hung up instead of finishing a handshake.
    pub(crate) fn wait_for_distrust(&self) {
        self.distrusted.recv_timeout(PATIENCE).expect("a client comes and does not trust it");
    }
}

impl Received {
    /// Its spans.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let request = ExportTraceServiceRequest::decode(self.body.clone()).expect("OTLP");
        let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    /// What is said of the service.
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
async fn serve(listener: std::net::TcpListener, acceptor: Option<TlsAcceptor>, tell: Tell) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let (acceptor, tell) = (acceptor.clone(), tell.clone());
        tokio::spawn(async move {
            match acceptor {
                None => listen_to(stream, tell.received).await,
                Some(acceptor) => match acceptor.accept(stream).await {
                    Ok(stream) => listen_to(stream, tell.received).await,
                    // The test may be over while the host still tries.
                    Err(_) => drop(tell.distrusted.send(())),
                },
            }
        });
    }
}

/// A client that goes without a farewell has said what it had to say.
async fn listen_to(stream: impl AsyncRead + AsyncWrite + Unpin, sender: Sender<Received>) {
    let service = service_fn(move |request| keep(request, sender.clone()));
    http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.ok();
}

async fn keep(
    request: Request<Incoming>,
    sender: Sender<Received>,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a whole message").to_bytes();
    let received = Received { path: parts.uri.to_string(), headers: parts.headers, body };
    sender.send(received).expect("the test is there");
    Ok(Response::new(Empty::new()))
}
