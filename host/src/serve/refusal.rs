//! Refused requests: the HTTP status and the error object with the reason.

use std::convert::Infallible;

use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Bytes;
use od_protocol::{ErrorKind, ErrorObject, RequestId, api};

use crate::error::HostError;
use crate::json_rpc::write_reply;
use crate::telemetry::metrics::Refusal as Reason;

/// The body of a response.
pub(super) type HttpBody = UnsyncBoxBody<Bytes, Infallible>;

/// The response of every HTTP endpoint.
pub(super) type HttpResponse = Response<HttpBody>;

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) error: Box<ErrorObject>,
    /// In seconds.
    pub(super) retry_after: Option<u64>,
    /// The label in the metrics; absent when a method returned the error.
    pub(super) reason: Option<Reason>,
}

impl Refusal {
    /// The token is missing or wrong.
    pub(super) fn unauthorized(message: &str) -> Self {
        let hint =
            "send `Authorization: Bearer TOKEN`; TOKEN is in the file `token` in the host's folder";
        Self::own(StatusCode::UNAUTHORIZED, api::UNAUTHORIZED, message, hint).counts(Reason::Token)
    }

    /// The `Host` or `Origin` of the request is not allowed.
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
            format!("too many calls; the next one is accepted in {} ms", wait.as_millis().max(1)),
            "wait and try again, or raise maxCallsPerSecond in [serve] of settings.toml",
        );
        refusal.retry_after = Some(wait.as_secs_f64().ceil() as u64);
        refusal.counts(Reason::Rate)
    }

    /// The maximum of open connections is reached.
    pub(super) fn too_many_connections(limit: u32) -> Self {
        let mut refusal = Self::own(
            StatusCode::SERVICE_UNAVAILABLE,
            api::TOO_MANY_CALLS,
            format!("the maximum of {limit} open connections is reached"),
            "close some, or raise maxConnections in [serve] of settings.toml",
        );
        refusal.retry_after = Some(1);
        refusal.counts(Reason::Connections)
    }

    /// The client sent plain HTTP to a TLS port.
    pub(super) fn needs_tls() -> Self {
        let text = "this address expects TLS, but the request is plain HTTP";
        let hint = "use the https:// or wss:// address that `od-host serve` printed";
        Self::because(StatusCode::BAD_REQUEST, error(ErrorKind::InvalidRequest, text, hint))
    }

    /// The path does not exist, or not for this method.
    pub(super) fn no_endpoint(status: StatusCode, message: String) -> Self {
        let hint = "endpoints: POST / and WebSocket / for calls, GET /runs/{runId}/events for events, \
                    GET /metrics, GET /health";
        Self::because(status, error(ErrorKind::InvalidRequest, message, hint))
    }

    /// Refuses with this status and error.
    pub(super) fn because(status: StatusCode, error: ErrorObject) -> Self {
        let reason = Some(Reason::Malformed);
        Self { status, error: Box::new(error), retry_after: None, reason }
    }

    /// The error of a method as an HTTP response.
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

    pub(super) fn into_response(self) -> HttpResponse {
        let mut response = json(self.status, write_reply(&RequestId::NULL, &Err(*self.error)));
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

/// A response with a JSON body.
pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> HttpResponse {
    with_type(status, "application/json", full_body(body))
}

/// A response that is neither cached nor sniffed for another type.
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

/// A body with this content.
pub(super) fn full_body(content: impl Into<Bytes>) -> HttpBody {
    Full::new(content.into()).boxed_unsync()
}

/// A body without content.
pub(super) fn empty_body() -> HttpBody {
    Empty::new().boxed_unsync()
}
