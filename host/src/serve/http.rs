//! One JSON-RPC request in the body of a POST, its reply in the response.

use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use od_protocol::api::ATTACH_RUN;
use od_protocol::{ErrorKind, ErrorObject};

use super::calls;
use super::refusal::{HttpResponse, Refusal, error, json};
use crate::json_rpc::{self, write_reply};
use crate::service::{Client, Service};

/// The limits of a request's body.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    pub(super) bytes: u32,
    pub(super) time: Duration,
}

/// Answers one request.
pub(super) async fn answer(
    service: &Service,
    client: &Client,
    request: Request<Incoming>,
    limits: BodyLimits,
) -> Result<HttpResponse, Refusal> {
    check_type(request.headers())?;
    let body = read_body(request.into_body(), limits).await?;
    let bad = |error| Refusal::because(StatusCode::BAD_REQUEST, error);
    let Some(call) = json_rpc::Request::parse(&body).map_err(bad)? else {
        let text = "a request over HTTP needs an id";
        return Err(bad(error(ErrorKind::InvalidRequest, text, "add \"id\": 1")));
    };
    let result = match [ATTACH_RUN.subscribe, ATTACH_RUN.unsubscribe].contains(&&*call.method) {
        true => Err(subscription_unsupported()),
        false => calls::call(service, client, &call.method, call.params).await,
    };
    Ok(json(StatusCode::OK, write_reply(call.id, &result)))
}

fn subscription_unsupported() -> ErrorObject {
    error(
        ErrorKind::InvalidRequest,
        "an HTTP request cannot subscribe to events",
        "use a WebSocket, or GET /runs/{runId}/events",
    )
}

/// A web page of another site can send a plain form without a preflight, but not JSON.
fn check_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = value.split(';').next().unwrap_or_default().trim();
    if media.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let text = format!("unsupported Content-Type {value:?}");
    let error = error(ErrorKind::InvalidRequest, text, "send Content-Type: application/json");
    Err(Refusal::because(StatusCode::UNSUPPORTED_MEDIA_TYPE, error))
}

async fn read_body(mut body: Incoming, limits: BodyLimits) -> Result<Bytes, Refusal> {
    let BodyLimits { bytes: max_bytes, time } = limits;
    let reading = async {
        let whole = Limited::new(&mut body, max_bytes as usize).collect().await;
        match whole {
            Ok(whole) => Ok(whole.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {
                discard(&mut body, max_bytes).await;
                Err(Refusal::too_large(max_bytes))
            }
            Err(error) => {
                let text = format!("cannot read the body: {error}");
                let error = ErrorObject::new(ErrorKind::InvalidRequest, text);
                Err(Refusal::because(StatusCode::BAD_REQUEST, error))
            }
        }
    };
    tokio::time::timeout(time, reading).await.unwrap_or_else(|_| {
        let text = format!("the body did not arrive within {} s", time.as_secs());
        let error = ErrorObject::new(ErrorKind::Timeout, text).with_which("body");
        Err(Refusal::because(StatusCode::REQUEST_TIMEOUT, error))
    })
}

/// Reads on for a bounded amount: many clients read the response only after they have sent everything.
async fn discard(body: &mut Incoming, max_bytes: u32) {
    let mut left = 4 * u64::from(max_bytes);
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, |data| data.len() as u64);
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
