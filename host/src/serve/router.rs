//! From a request to the face that answers it, past the guard.

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
use jsonrpsee::server::HttpBody;
use jsonrpsee::server::ws::is_upgrade_request;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::attach::Attachments;
use super::guard::Guard;
use super::limits::TimeLimits;
use super::rate::Rates;
use super::refusal::{HttpResponse, Refusal, json, with_type};
use super::settings::ServeSettings;
use super::websocket::{Connection, WebSocket};
use super::{http as call, sse};
use crate::service::{Client, Service};
use crate::telemetry::metrics::{self, Face};

/// Makes guessing slow, the same for every wrong token.
const WRONG_TOKEN_DELAY: Duration = Duration::from_millis(200);

const PRIVATE_NETWORK_ASKED: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const PRIVATE_NETWORK_ALLOWED: HeaderName =
    HeaderName::from_static("access-control-allow-private-network");

/// What all connections share.
pub(super) struct Router {
    pub(super) service: Service,
    pub(super) settings: ServeSettings,
    pub(super) limits: TimeLimits,
    pub(super) guard: Guard,
    pub(super) rates: Rates,
    pub(super) attachments: Attachments,
    pub(super) websocket: WebSocket,
}

/// Where a request comes from.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    /// Unlike every other connection of this process.
    pub(super) connection: u64,
    /// Held as long as the connection lives.
    pub(super) permit: Arc<OwnedSemaphorePermit>,
}

impl Router {
    /// Answers a request, whatever it is.
    pub(super) async fn route(&self, peer: Peer, request: Request<Incoming>) -> HttpResponse {
        if request.uri().path() == "/health" {
            return health(request.method()).unwrap_or_else(Refusal::into_response);
        }
        let address = peer.address;
        let origin = match self.check_place(&request) {
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

    fn check_place(&self, request: &Request<Incoming>) -> Result<Option<HeaderValue>, Refusal> {
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
            return sse::stream(&self.attachments, run_id, request.uri(), request.headers());
        }
        match path {
            "/" if is_upgrade_request(&request) => {
                let connection = self.connection(&peer);
                Ok(self.websocket.upgrade(request, connection).await)
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
                let text = HttpBody::from(self.service.metrics_text().await);
                Ok(with_type(StatusCode::OK, metrics::CONTENT_TYPE, text))
            }
            _ => {
                let text = format!("there is nothing at {path}");
                Err(Refusal::nothing_here(StatusCode::NOT_FOUND, text))
            }
        }
    }

    fn refuse(&self, peer: SocketAddr, refusal: Refusal) -> HttpResponse {
        if let Some(reason) = refusal.reason {
            // The message may quote a header, which is for the one who sent it only.
            let kind = refusal.error.kind();
            tracing::warn!(%peer, reason = reason.as_str(), %kind, "a request was refused");
            self.service.host().telemetry().metrics().refused(reason);
        }
        refusal.into_response()
    }

    fn connection(&self, peer: &Peer) -> Connection {
        let present = self.service.host().telemetry().metrics().client(Face::WebSocket);
        Connection {
            client: Client(format!("websocket {}", peer.connection)),
            rate: self.rates.connection(),
            watching: Arc::new(Semaphore::new(self.settings.max_subscriptions as usize)),
            waiting: Arc::new(Semaphore::new(self.settings.max_subscriptions as usize)),
            held: Arc::new((Arc::clone(&peer.permit), present)),
        }
    }
}

fn run_of_events(path: &str) -> Option<&str> {
    let run_id = path.strip_prefix("/runs/")?.strip_suffix("/events")?;
    (!run_id.contains('/')).then_some(run_id)
}

/// Whether the host lives; says nothing else, so anybody may ask.
fn health(method: &Method) -> Result<HttpResponse, Refusal> {
    if method == Method::HEAD {
        return Ok(with_type(StatusCode::OK, "application/json", HttpBody::empty()));
    }
    check_method(method, &Method::GET, "/health")?;
    Ok(json(StatusCode::OK, r#"{"status":"ok"}"#.to_owned()))
}

fn check_method(method: &Method, wanted: &Method, path: &str) -> Result<(), Refusal> {
    if method == wanted {
        return Ok(());
    }
    let text = format!("{path} takes {wanted}, not {method}");
    Err(Refusal::nothing_here(StatusCode::METHOD_NOT_ALLOWED, text))
}

fn is_preflight(request: &Request<Incoming>) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// What a browser asks before it lets a page of an allowed origin call.
fn preflight(request: &Request<Incoming>) -> HttpResponse {
    let mut response = with_type(StatusCode::NO_CONTENT, "text/plain", HttpBody::empty());
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("authorization, content-type, last-event-id"),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if request.headers().contains_key(PRIVATE_NETWORK_ASKED) {
        headers.insert(PRIVATE_NETWORK_ALLOWED, HeaderValue::from_static("true"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_is_one_part_of_the_path() {
        assert_eq!(run_of_events("/runs/0193-a/events"), Some("0193-a"));
        for path in ["/runs/events", "/runs/a/b/events", "/runs/a/events/", "/events", "/"] {
            assert_eq!(run_of_events(path), None, "{path}");
        }
    }
}
