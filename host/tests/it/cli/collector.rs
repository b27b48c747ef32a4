//! A collector of traces on loopback: keeps what arrives.

use std::convert::Infallible;
use std::net::SocketAddr;
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

/// One message.
pub(super) struct Received {
    pub(super) path: String,
    pub(super) headers: http::HeaderMap,
    pub(super) body: Bytes,
}

/// See the module. Its thread ends with the tests.
pub(super) struct Collector {
    address: SocketAddr,
    received: Receiver<Received>,
}

impl Collector {
    pub(super) fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a listener for tokio");
        let (sender, received) = channel();
        std::thread::spawn(move || serve(listener, sender));
        Self { address, received }
    }

    /// What `OTEL_EXPORTER_OTLP_ENDPOINT` takes.
    pub(super) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next message.
    pub(super) fn next(&self) -> Received {
        self.received.recv_timeout(Duration::from_secs(20)).expect("a message arrives")
    }
}

impl Received {
    /// Its spans.
    pub(super) fn spans(&self) -> Vec<Span> {
        let request = ExportTraceServiceRequest::decode(self.body.clone()).expect("OTLP");
        let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    /// What is said of the service.
    pub(super) fn resource(&self) -> Vec<KeyValue> {
        let request = ExportTraceServiceRequest::decode(self.body.clone()).expect("OTLP");
        let resources = request.resource_spans.into_iter().filter_map(|spans| spans.resource);
        resources.flat_map(|resource| resource.attributes).collect()
    }
}

/// An attribute as text.
pub(super) fn attribute(attributes: &[KeyValue], name: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == name)?;
    Some(match found.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => text.clone(),
        any_value::Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn serve(listener: std::net::TcpListener, sender: Sender<Received>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let sender = sender.clone();
        let service = service_fn(move |request| keep(request, sender.clone()));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
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
