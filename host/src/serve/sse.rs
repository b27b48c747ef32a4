//! `GET /runs/{runId}/events?from=SEQ`: the events of a run as server-sent events, read from the journal as fast as
//! the client reads the response.

use std::convert::Infallible;
use std::time::Duration;

use futures_util::stream;
use http::header::{HeaderMap, HeaderName};
use http::{StatusCode, Uri};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame};
use od_protocol::api::AttachRunParams;
use od_protocol::{ErrorKind, ErrorObject};

use super::refusal::{HttpResponse, Refusal, empty_body, error, with_type};
use super::subscription::RunSubscriptions;
use crate::telemetry::metrics::Transport;

const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Streams the events of a run.
pub(super) fn stream(
    subscriptions: &RunSubscriptions,
    run_id: &str,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<HttpResponse, Refusal> {
    let seen = last_event_id(headers)?;
    if seen.is_some_and(|seen| subscriptions.service().is_last(run_id, seen)) {
        // Stops a browser's `EventSource` from reconnecting.
        return Ok(with_type(StatusCode::NO_CONTENT, "text/event-stream", empty_body()));
    }
    let params = AttachRunParams { run_id: run_id.to_owned(), from: first_event(uri, seen)? };
    let subscription = subscriptions.open(&params).map_err(Refusal::of_error)?;
    let gauge = subscriptions.service().host().telemetry().metrics().client(Transport::Sse);
    let body = stream::unfold(Some((subscription, gauge)), async |state| {
        let (mut subscription, gauge) = state?;
        let next = subscription.next_sse();
        let (text, is_open) = match tokio::time::timeout(HEARTBEAT_INTERVAL, next).await {
            Ok(Ok(events)) => (events?, true),
            Ok(Err(failure)) => (failure_event(&failure.into_error_object()), false),
            Err(_) => (Bytes::from_static(b": the run is active\n\n"), true),
        };
        let frame = Frame::data(text);
        Some((Ok::<_, Infallible>(frame), is_open.then_some((subscription, gauge))))
    });
    let body = StreamBody::new(body).boxed_unsync();
    Ok(with_type(StatusCode::OK, "text/event-stream", body))
}

/// The last event that a reconnecting client has received.
fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Refusal> {
    let Some(value) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let seen = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    seen.map(Some).ok_or_else(|| bad_number("Last-Event-ID", &format!("{value:?}")))
}

/// The first event to send; `Last-Event-ID` overrides `from`.
fn first_event(uri: &Uri, seen: Option<u64>) -> Result<u64, Refusal> {
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
    let text = format!("{name} is not an event number: {text}");
    let error = error(ErrorKind::InvalidParams, text, "event numbers are 0, 1, 2, …");
    Refusal::because(StatusCode::BAD_REQUEST, error)
}

/// The event that reports a failure to read the journal.
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
        let uri = uri.parse().expect("a URI");
        last_event_id(&headers)
            .and_then(|seen| first_event(&uri, seen))
            .map_err(|refusal| refusal.error.message)
    }

    #[test]
    fn last_event_id_overrides_from() {
        assert_eq!(from("/runs/x/events", None), Ok(0));
        assert_eq!(from("/runs/x/events?from=7", None), Ok(7));
        assert_eq!(from("/runs/x/events?a=b&from=7&c", None), Ok(7));
        assert_eq!(from("/runs/x/events?from=7", Some("41")), Ok(42));
        assert!(from("/runs/x/events?from=-1", None).is_err());
        assert!(from("/runs/x/events?from=", None).is_err());
        assert!(from("/runs/x/events", Some("x")).is_err());
    }
}
