//! The HTTP face: one JSON-RPC call in the body of a POST, its answer in the response.

use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use od_protocol::api::ATTACH_RUNS;
use od_protocol::{ErrorKind, ErrorObject};

use super::calls;
use super::refusal::{HttpResponse, Refusal, error, json};
use crate::service::{Client, Service};

/// What a body may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    pub(super) bytes: u32,
    /// One that takes longer does not come.
    pub(super) time: Duration,
}

/// Answers one call.
pub(super) async fn answer(
    service: &Service,
    client: &Client,
    request: Request<Incoming>,
    limits: BodyLimits,
) -> Result<HttpResponse, Refusal> {
    check_type(request.headers())?;
    let body = read_body(request.into_body(), limits).await?;
    let bad = |error| Refusal::because(StatusCode::BAD_REQUEST, error);
    let Some(call) = calls::Request::read(&body).map_err(bad)? else {
        let text = "a call needs an id, or nobody is told what came of it";
        return Err(bad(error(ErrorKind::InvalidRequest, text, "add \"id\": 1")));
    };
    let answer = match [ATTACH_RUNS.subscribe, ATTACH_RUNS.unsubscribe].contains(&&*call.method) {
        true => Err(calls::no_subscription_here()),
        false => calls::call(service, client, &call.method, call.params).await,
    };
    Ok(json(StatusCode::OK, calls::response(call.id, answer)))
}

/// A page of another site can send a plain form without asking, but no JSON.
fn check_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = value.split(';').next().unwrap_or_default().trim();
    if media.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let text = format!("the Content-Type is {value:?}");
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
                let text = format!("the body cannot be read: {error}");
                let error = ErrorObject::new(ErrorKind::InvalidRequest, text);
                Err(Refusal::because(StatusCode::BAD_REQUEST, error))
            }
        }
    };
    tokio::time::timeout(time, reading).await.unwrap_or_else(|_| {
        let text = format!("the body did not come within {} s", time.as_secs());
        let error = ErrorObject::new(ErrorKind::Timeout, text).with_which("body");
        Err(Refusal::because(StatusCode::REQUEST_TIMEOUT, error))
    })
}

/// Many clients read the answer only when they have sent everything; those that send far too much do not
/// hear it.
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
