//! One request: reads it, records it, decides, and sends the reply in pieces.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderName, HeaderValue, UPGRADE};
use hyper::{Request, Response, StatusCode};
use serde_json::Value;

use super::body::{Cut, PieceBody};
use super::catalogue;
use super::decide::{Decision, Stamp, decide};
use super::failure::{Failure, FailureKind};
use super::record::{
    RecordedRequest, RequestLog, path_without_secret, recorded_body, without_secret,
};
use super::reply::{Reply, Style};
use super::route::{AnswerRoute, OtherRoute, Route, route};
use super::wire::Wire;

const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// The maximum number of counted prompts; then the counts are reset.
const MAX_COUNTED_PROMPTS: usize = 4_096;

/// The state that all requests share.
#[derive(Debug)]
pub(super) struct Shared {
    tag: String,
    count: AtomicU64,
    log: Mutex<RequestLog>,
    tries: Mutex<HashMap<u64, u32>>,
}

impl Shared {
    /// Without requests. The tag distinguishes the answers of different servers.
    pub(super) fn new(tag: String, log: RequestLog) -> Self {
        Self {
            tag,
            count: AtomicU64::new(0),
            log: Mutex::new(log),
            tries: Mutex::new(HashMap::new()),
        }
    }

    /// The requests so far.
    pub(super) fn log(&self) -> MutexGuard<'_, RequestLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_try(&self, prompt: &str) -> u32 {
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        if tries.len() >= MAX_COUNTED_PROMPTS {
            tries.clear();
        }
        let mut hasher = DefaultHasher::new();
        prompt.hash(&mut hasher);
        let count = tries.entry(hasher.finish()).or_insert(0);
        *count += 1;
        *count
    }
}

/// Answers a request.
///
/// # Errors
/// When the scenario closes the connection before the first byte.
pub(super) async fn handle(
    shared: &Shared,
    request: Request<Incoming>,
) -> Result<Response<PieceBody>, Cut> {
    let number = shared.count.fetch_add(1, Ordering::Relaxed) + 1;
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let upgrade = head.headers.contains_key(UPGRADE);
    let route = route(head.method.as_str(), path, head.uri.query().unwrap_or_default(), upgrade);
    let body = Limited::new(body, MAX_BODY_BYTES).collect().await.map(|body| body.to_bytes());
    let encoding = head.headers.get(CONTENT_ENCODING);
    let mut record = RecordedRequest {
        number,
        method: head.method.to_string(),
        path: path_without_secret(path, head.uri.query()),
        headers: recorded_headers(&head.headers),
        body: body.as_ref().map_or(Value::Null, |body| recorded_body(body)),
        wire: None,
        side_call: false,
    };
    let size = body.as_ref().map_or(0, Bytes::len);
    let reply = match (&route, body) {
        (Route::Answer(answer), Ok(body)) if encoding.is_none() => {
            let stamp = Stamp { id: format!("{}{number:05}", shared.tag), created: now() };
            answer_request(shared, answer, &body, stamp, &mut record)
        }
        (Route::Answer(answer), Ok(_)) => {
            let message = "the fake model does not support compressed requests";
            Ok(refuse(answer.wire, &Failure::with_message(FailureKind::BadRequest, message)))
        }
        (Route::Answer(answer), Err(_)) => {
            Ok(refuse(answer.wire, &Failure::of(FailureKind::TooLarge, "")))
        }
        (Route::Other(other), _) => Ok(catalogue::reply(other, size, &shared.log())),
    };
    if route != Route::Other(OtherRoute::Requests) {
        shared.log().record(record, size);
    }
    Ok(respond(reply?, number))
}

fn answer_request(
    shared: &Shared,
    route: &AnswerRoute,
    body: &[u8],
    stamp: Stamp,
    record: &mut RecordedRequest,
) -> Result<Reply, Cut> {
    let wire = route.wire;
    record.wire = Some(wire.as_str());
    let parsed = serde_json::from_slice(body).map_err(|error| format!("invalid JSON: {error}"));
    let mut conversation = match parsed.and_then(|value| wire.read(&value)) {
        Ok(conversation) => conversation,
        Err(message) => {
            return Ok(refuse(wire, &Failure::with_message(FailureKind::BadRequest, message)));
        }
    };
    if let Some(model) = &route.model {
        conversation.model.clone_from(model);
    }
    conversation.stream |= route.stream.is_some();
    record.side_call = conversation.is_side_call();
    match decide(&conversation, stamp, |prompt| shared.count_try(prompt)) {
        Decision::Cut => Err(Cut),
        Decision::Refuse(failure) => Ok(refuse(wire, &failure)),
        Decision::Answer(answer) if conversation.stream => {
            Ok(wire.stream(&answer, route.stream.unwrap_or(Style::Events)))
        }
        Decision::Answer(answer) => Ok(wire.to_document(&answer)),
    }
}

fn refuse(wire: Wire, failure: &Failure) -> Reply {
    Reply::refusal(wire.refuse(failure))
}

fn recorded_headers(headers: &hyper::HeaderMap) -> Vec<(String, String)> {
    let kept = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.to_string(), without_secret(name.as_str(), value.as_bytes()))
    };
    headers.iter().map(kept).collect()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn respond(reply: Reply, number: u64) -> Response<PieceBody> {
    let mut response = Response::new(PieceBody::new(reply.fragments, reply.sized));
    *response.status_mut() =
        StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let id = format!("req_fake_{number}");
    let ids = [("request-id", id.clone()), ("x-request-id", id)];
    for (name, value) in reply.headers.into_iter().chain(ids) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
    }
    response
}
