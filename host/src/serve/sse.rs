//! The face for whoever only reads: `GET /runs/{runId}/events?from=SEQ` as server-sent events. The body is made as
//! fast as the client reads it, from the journal.

use std::convert::Infallible;
use std::time::Duration;

use futures_util::stream;
use http::header::{HeaderMap, HeaderName};
use http::{StatusCode, Uri};
use http_body_util::StreamBody;
use hyper::body::{Bytes, Frame};
use jsonrpsee::server::HttpBody;
use od_protocol::api::AttachRunsParams;
use od_protocol::{ErrorKind, ErrorObject};

use super::attach::Attachments;
use super::refusal::{HttpResponse, Refusal, error, with_type};
use crate::telemetry::metrics::Face;

const HEARTBEAT: Duration = Duration::from_secs(15);
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Streams the events of a run.
pub(super) fn stream(
    attachments: &Attachments,
    run_id: &str,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<HttpResponse, Refusal> {
    let seen = seen(headers)?;
    if seen.is_some_and(|seen| attachments.service().is_last(run_id, seen)) {
        // What makes a browser's `EventSource` stop asking.
        return Ok(with_type(StatusCode::NO_CONTENT, "text/event-stream", HttpBody::empty()));
    }
    let params = AttachRunsParams { run_id: run_id.to_owned(), from: first(uri, seen)? };
    let attachment = attachments.open(&params).map_err(Refusal::of_error)?;
    let present = attachments.service().host().telemetry().metrics().client(Face::Sse);
    let body = stream::unfold(Some((attachment, present)), async |state| {
        let (mut attachment, present) = state?;
        let next = attachment.next_of_stream();
        let (text, goes_on) = match tokio::time::timeout(HEARTBEAT, next).await {
            Ok(Ok(events)) => (events?, true),
            Ok(Err(failure)) => (failure_event(&failure.into_error_object()), false),
            Err(_) => (Bytes::from_static(b": the run is going on\n\n"), true),
        };
        let frame = Frame::data(text);
        Some((Ok::<_, Infallible>(frame), goes_on.then_some((attachment, present))))
    });
    let body = HttpBody::new(StreamBody::new(body));
    Ok(with_type(StatusCode::OK, "text/event-stream", body))
}

/// What a client has seen that lost its connection.
fn seen(headers: &HeaderMap) -> Result<Option<u64>, Refusal> {
    let Some(value) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let seen = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    seen.map(Some).ok_or_else(|| bad_number("Last-Event-ID", &format!("{value:?}")))
}

/// What was seen wins over what is asked for.
fn first(uri: &Uri, seen: Option<u64>) -> Result<u64, Refusal> {
    if let Some(seen) = seen {
        return Ok(seen.saturating_add(1));
    }
    let pairs = uri.query().unwrap_or_default().split('&');
    match pairs.filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == "from") {
        Some((_, text)) => text.parse().map_err(|_| bad_number("from", text)),
        None => Ok(0),
    }
}

fn bad_number(name: &str, text: &str) -> Refusal {
    let text = format!("{name} is no event number: {text}");
    let error = error(ErrorKind::InvalidParams, text, "event numbers are 0, 1, 2 and so on");
    Refusal::because(StatusCode::BAD_REQUEST, error)
}

/// The journal can no longer be read.
fn failure_event(error: &ErrorObject) -> Bytes {
    let error = serde_json::to_string(error).unwrap_or_else(|_| "null".to_owned());
    Bytes::from(format!("event: stream_failed\ndata: {error}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(uri: &str, last: Option<&str>) -> Result<u64, String> {
        let mut headers = HeaderMap::new();
        if let Some(last) = last {
            headers.insert(LAST_EVENT_ID, last.parse().expect("a header"));
        }
        let uri = uri.parse().expect("an address");
        seen(&headers).and_then(|seen| first(&uri, seen)).map_err(|refusal| refusal.error.message)
    }

    #[test]
    fn what_was_seen_wins_over_what_was_asked_for() {
        assert_eq!(from("/runs/x/events", None), Ok(0));
        assert_eq!(from("/runs/x/events?from=7", None), Ok(7));
        assert_eq!(from("/runs/x/events?a=b&from=7&c", None), Ok(7));
        assert_eq!(from("/runs/x/events?from=7", Some("41")), Ok(42));
        assert!(from("/runs/x/events?from=-1", None).is_err());
        assert!(from("/runs/x/events?from=", None).is_err());
        assert!(from("/runs/x/events", Some("x")).is_err());
    }
}
