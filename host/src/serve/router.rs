//! Checks each HTTP request (`guard`) and passes it to its endpoint.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    HeaderName, HeaderValue, VARY,
};
use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use soketto::handshake::http::is_upgrade_request;
use tokio::sync::OwnedSemaphorePermit;

use super::guard::Guard;
use super::limits::TimeLimits;
use super::rate::RateLimits;
use super::refusal::{HttpResponse, Refusal, empty_body, full_body, json, with_type};
use super::subscription::RunSubscriptions;
use super::websocket::{self, WebSockets};
use super::{http as call, sse};
use crate::service::{Client, Service};
use crate::settings::ServeSettings;
use crate::telemetry::metrics::{self, Transport};

/// Slows down guessing, the same for every wrong token.
const WRONG_TOKEN_DELAY: Duration = Duration::from_millis(200);

const PRIVATE_NETWORK_REQUESTED: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const PRIVATE_NETWORK_ALLOWED: HeaderName =
    HeaderName::from_static("access-control-allow-private-network");

/// What all connections share.
pub(super) struct Router {
    pub(super) service: Service,
    pub(super) settings: ServeSettings,
    pub(super) limits: TimeLimits,
    pub(super) guard: Guard,
    pub(super) rates: RateLimits,
    pub(super) subscriptions: RunSubscriptions,
    pub(super) websockets: WebSockets,
}

/// The connection that a request came in on.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    /// Unique in this process.
    pub(super) connection: u64,
    /// Counts among the open connections until it is dropped.
    pub(super) permit: Arc<OwnedSemaphorePermit>,
}

impl Router {
    /// Answers any request.
    pub(super) async fn route(&self, peer: Peer, request: Request<Incoming>) -> HttpResponse {
        if request.uri().path() == "/health" {
            return health(request.method()).unwrap_or_else(Refusal::into_response);
        }
        let address = peer.address;
        let origin = match self.check_origin_and_host(&request) {
            Ok(origin) => origin,
            Err(refusal) => return self.refuse(address, refusal),
        };
        let answer = match is_preflight(&request) {
            true => Ok(preflight(&request)),
            false => self.answer(peer, request).await,
        };
        let mut response = answer.unwrap_or_else(|refusal| self.refuse(address, refusal));
        if let Some(origin) = origin {
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after"));
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        response
    }

    fn check_origin_and_host(
        &self,
        request: &Request<Incoming>,
    ) -> Result<Option<HeaderValue>, Refusal> {
        self.guard.check_host(request.headers())?;
        self.guard.check_origin(request.headers())
    }

    async fn admit(&self, request: &Request<Incoming>) -> Result<(), Refusal> {
        let checked = self.guard.check_token(request.headers());
        if checked.is_err() {
            tokio::time::sleep(WRONG_TOKEN_DELAY).await;
        }
        checked
    }

    async fn answer(
        &self,
        peer: Peer,
        request: Request<Incoming>,
    ) -> Result<HttpResponse, Refusal> {
        self.admit(&request).await?;
        let path = request.uri().path();
        let method = request.method();
        if let Some(run_id) = run_of_events(path) {
            check_method(method, &Method::GET, path)?;
            return sse::stream(&self.subscriptions, run_id, request.uri(), request.headers());
        }
        match path {
            "/" if is_upgrade_request(&request) => {
                let peer = self.websocket_peer(&peer);
                self.websockets.upgrade(request, peer)
            }
            "/" => {
                check_method(method, &Method::POST, path)?;
                self.rates.check(peer.address.ip()).map_err(Refusal::too_many_calls)?;
                let client = Client(format!("http {}", peer.address.ip()));
                let max_bytes = self.settings.max_request_bytes;
                let limits = call::BodyLimits { bytes: max_bytes, time: self.limits.body };
                call::answer(&self.service, &client, request, limits).await
            }
            "/metrics" => {
                check_method(method, &Method::GET, path)?;
                let text = full_body(self.service.metrics_text().await);
                Ok(with_type(StatusCode::OK, metrics::CONTENT_TYPE, text))
            }
            _ => {
                let text = format!("{path} does not exist");
                Err(Refusal::no_endpoint(StatusCode::NOT_FOUND, text))
            }
        }
    }

    fn refuse(&self, peer: SocketAddr, refusal: Refusal) -> HttpResponse {
        if let Some(reason) = refusal.reason {
            // The message may quote a header, so only the client gets it.
            let kind = refusal.error.kind();
            tracing::warn!(%peer, reason = reason.as_str(), %kind, "refused a request");
            self.service.host().telemetry().metrics().refused(reason);
        }
        refusal.into_response()
    }

    fn websocket_peer(&self, peer: &Peer) -> websocket::Peer {
        let gauge = self.service.host().telemetry().metrics().client(Transport::WebSocket);
        websocket::Peer {
            client: Client(format!("websocket {}", peer.connection)),
            rate: self.rates.connection(),
            held: (Arc::clone(&peer.permit), gauge),
        }
    }
}

fn run_of_events(path: &str) -> Option<&str> {
    let run_id = path.strip_prefix("/runs/")?.strip_suffix("/events")?;
    (!run_id.contains('/')).then_some(run_id)
}

/// Whether the host is up; reveals nothing else, so it needs no token.
fn health(method: &Method) -> Result<HttpResponse, Refusal> {
    if method == Method::HEAD {
        return Ok(with_type(StatusCode::OK, "application/json", empty_body()));
    }
    check_method(method, &Method::GET, "/health")?;
    Ok(json(StatusCode::OK, r#"{"status":"ok"}"#))
}

fn check_method(method: &Method, wanted: &Method, path: &str) -> Result<(), Refusal> {
    if method == wanted {
        return Ok(());
    }
    let text = format!("{path} supports {wanted}, not {method}");
    Err(Refusal::no_endpoint(StatusCode::METHOD_NOT_ALLOWED, text))
}

fn is_preflight(request: &Request<Incoming>) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Answers a browser's CORS preflight for a page of an allowed origin.
fn preflight(request: &Request<Incoming>) -> HttpResponse {
    let mut response = with_type(StatusCode::NO_CONTENT, "text/plain", empty_body());
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("authorization, content-type, last-event-id"),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if request.headers().contains_key(PRIVATE_NETWORK_REQUESTED) {
        headers.insert(PRIVATE_NETWORK_ALLOWED, HeaderValue::from_static("true"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_path_contains_one_run_id() {
        assert_eq!(run_of_events("/runs/0193-a/events"), Some("0193-a"));
        for path in ["/runs/events", "/runs/a/b/events", "/runs/a/events/", "/events", "/"] {
            assert_eq!(run_of_events(path), None, "{path}");
        }
    }
}
