//! A request that gets no further: its HTTP status and the error object that says why.

use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{Response, StatusCode};
use jsonrpsee::server::HttpBody;
use od_protocol::{ErrorKind, ErrorObject, api};

use super::calls;
use crate::error::HostError;
use crate::telemetry::metrics::Refusal as Reason;

/// The answer of every face that speaks HTTP.
pub(super) type HttpResponse = Response<HttpBody>;

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) error: Box<ErrorObject>,
    /// In seconds.
    pub(super) retry_after: Option<u64>,
    /// What it counts as; absent when a method said no.
    pub(super) reason: Option<Reason>,
}

impl Refusal {
    /// The token is missing or wrong.
    pub(super) fn unauthorized(message: &str) -> Self {
        let hint =
            "send `Authorization: Bearer TOKEN`; TOKEN is in the file `token` of the host's folder";
        Self::own(StatusCode::UNAUTHORIZED, api::UNAUTHORIZED, message, hint).counts(Reason::Token)
    }

    /// The request comes from a place that may not call.
    pub(super) fn forbidden(reason: Reason, message: String, hint: &str) -> Self {
        Self::own(StatusCode::FORBIDDEN, api::FORBIDDEN, message, hint).counts(reason)
    }

    /// The request is too large.
    pub(super) fn too_large(limit: u32) -> Self {
        let message = format!("the request is larger than {limit} bytes");
        let hint = "send less, or raise maxRequestBytes in [serve] of settings.toml";
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        Self::own(status, api::TOO_LARGE, message, hint).counts(Reason::Size)
    }

    /// The client calls too often.
    pub(super) fn too_many_calls(wait: std::time::Duration) -> Self {
        let mut refusal = Self::own(
            StatusCode::TOO_MANY_REQUESTS,
            api::TOO_MANY_CALLS,
            format!("too many calls; the next one is taken in {} ms", wait.as_millis().max(1)),
            "wait and try again, or raise maxCallsPerSecond in [serve] of settings.toml",
        );
        refusal.retry_after = Some(wait.as_secs_f64().ceil() as u64);
        refusal.counts(Reason::Rate)
    }

    /// As many connections as may be.
    pub(super) fn too_many_connections(limit: u32) -> Self {
        let mut refusal = Self::own(
            StatusCode::SERVICE_UNAVAILABLE,
            api::TOO_MANY_CALLS,
            format!("{limit} connections are open already"),
            "close some, or raise maxConnections in [serve] of settings.toml",
        );
        refusal.retry_after = Some(1);
        refusal.counts(Reason::Connections)
    }

    /// Plain text came where TLS is spoken.
    pub(super) fn needs_tls() -> Self {
        let text = "this address speaks TLS, and the request came in the clear";
        let hint = "call it as https:// or wss://, as `od-host serve` printed it";
        Self::because(StatusCode::BAD_REQUEST, error(ErrorKind::InvalidRequest, text, hint))
    }

    /// There is nothing at this address, or not for this method.
    pub(super) fn nothing_here(status: StatusCode, message: String) -> Self {
        let hint = "POST / and WebSocket / take calls, GET /runs/{runId}/events streams events, \
                    GET /metrics and GET /health tell how the host is";
        Self::because(status, error(ErrorKind::InvalidRequest, message, hint))
    }

    /// For any reason.
    pub(super) fn because(status: StatusCode, error: ErrorObject) -> Self {
        let reason = Some(Reason::Malformed);
        Self { status, error: Box::new(error), retry_after: None, reason }
    }

    /// What a method said, where the answer is no JSON-RPC answer.
    pub(super) fn of_error(error: ErrorObject) -> Self {
        let status = match error.kind() {
            ErrorKind::RunUnknown => StatusCode::NOT_FOUND,
            ErrorKind::InvalidParams => StatusCode::BAD_REQUEST,
            ErrorKind::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { reason: None, ..Self::because(status, error) }
    }

    fn own(status: StatusCode, kind: &str, message: impl Into<String>, hint: &str) -> Self {
        Self::because(status, error(ErrorKind::from_wire(kind), message, hint))
    }

    fn counts(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// The answer.
    pub(super) fn into_response(self) -> HttpResponse {
        let mut response = json(self.status, calls::response("null", Err(*self.error)));
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// An error of the host with its hint.
pub(super) fn error(kind: ErrorKind, message: impl Into<String>, hint: &str) -> ErrorObject {
    HostError::protocol(kind, message).with_hint(hint).into_error_object()
}

/// An answer of JSON.
pub(super) fn json(status: StatusCode, body: String) -> HttpResponse {
    with_type(status, "application/json", HttpBody::from(body))
}

/// An answer that nobody may keep or take for something else.
pub(super) fn with_type(
    status: StatusCode,
    content_type: &'static str,
    body: HttpBody,
) -> HttpResponse {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    response
}
