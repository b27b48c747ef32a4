//! Calls that wait for a response: writes a request as one line, and matches the id of a response to its caller.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use od_protocol::{ErrorKind, ErrorObject, Message, RequestId};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::sync::lock;

/// What an adapter answered: the result, still raw, or its error.
pub(super) type Answer = Result<Box<RawValue>, ErrorObject>;

/// The open calls of one adapter process; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingCalls(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    next_id: u64,
    /// A caller that gave up stays here, so that its late response is not a violation.
    waiting: HashMap<u64, oneshot::Sender<Answer>>,
    /// No response can arrive any more.
    is_closed: bool,
}

/// The members that every error object has; `data` of another shape is dropped.
#[derive(Deserialize)]
struct WireError<'a> {
    code: i32,
    message: String,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl PendingCalls {
    /// Registers a call: its request line with the line end, and the receiver of its answer.
    pub(super) fn register(
        &self,
        method: &str,
        params: &RawValue,
    ) -> Result<(Vec<u8>, oneshot::Receiver<Answer>), serde_json::Error> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        let id = state.next_id;
        let mut line = Vec::new();
        Message::write_request(&mut line, &RequestId::from(id), method, params)?;
        state.next_id += 1;
        if !state.is_closed {
            state.waiting.insert(id, sender);
        }
        Ok((line, receiver))
    }

    /// Passes a response to its caller; returns whether the id belongs to a call without a response.
    pub(super) fn resolve(&self, id: &RawValue, outcome: Result<&RawValue, &RawValue>) -> bool {
        let Ok(id) = id.get().parse() else { return false };
        let Some(caller) = self.lock().waiting.remove(&id) else { return false };
        let answer = outcome.map(RawValue::to_owned).map_err(parse_error_object);
        // A caller that timed out no longer needs its answer.
        drop(caller.send(answer));
        true
    }

    /// Fails all open calls and all later ones: the adapter's output has ended.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.waiting.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

fn parse_error_object(error: &RawValue) -> ErrorObject {
    match serde_json::from_str::<WireError<'_>>(error.get()) {
        Ok(WireError { code, message, data }) => ErrorObject {
            code,
            message,
            data: data.and_then(|data| serde_json::from_str(data.get()).ok()),
        },
        Err(error) => ErrorObject::new(
            ErrorKind::Internal,
            format!("the adapter answered with a malformed error object: {error}"),
        )
        .with_hint("upgrade the adapter or od-host, whichever is older"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).expect("JSON")
    }

    #[test]
    fn response_reaches_the_caller_of_its_id() {
        let calls = PendingCalls::default();
        let (first, mut first_answer) = calls.register("a/b", &raw("{}")).expect("a request");
        let (second, mut second_answer) = calls.register("c/d", &raw("[1]")).expect("a request");
        assert_eq!(first, b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a/b\",\"params\":{}}\n");
        assert_eq!(second, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"c/d\",\"params\":[1]}\n");
        assert!(calls.resolve(&raw("1"), Ok(&raw("null"))));
        assert!(calls.resolve(&raw("0"), Err(&raw(r#"{"code":-32601,"message":"no"}"#))));
        let answer = second_answer.try_recv().expect("an answer").expect("a result");
        assert_eq!(answer.get(), "null");
        let error = first_answer.try_recv().expect("an answer").expect_err("an error");
        assert_eq!((error.code, error.message.as_str()), (-32601, "no"));
    }

    #[test]
    fn response_without_a_call_is_rejected() {
        let calls = PendingCalls::default();
        let (_, answer) = calls.register("a/b", &raw("{}")).expect("a request");
        for id in ["1", "\"0\"", "null", "-1"] {
            assert!(!calls.resolve(&raw(id), Ok(&raw("{}"))), "{id}");
        }
        drop(answer);
        assert!(calls.resolve(&raw("0"), Ok(&raw("{}"))), "a late response is not a violation");
        assert!(!calls.resolve(&raw("0"), Ok(&raw("{}"))), "a second response is one");
    }

    #[test]
    fn malformed_error_object_becomes_internal_error() {
        let calls = PendingCalls::default();
        let (_, mut answer) = calls.register("a/b", &raw("{}")).expect("a request");
        assert!(calls.resolve(&raw("0"), Err(&raw("\"broken\""))));
        let error = answer.try_recv().expect("an answer").expect_err("an error");
        assert_eq!(error.kind(), ErrorKind::Internal);
    }

    #[test]
    fn close_fails_open_and_later_calls() {
        let calls = PendingCalls::default();
        let (_, mut open) = calls.register("a/b", &raw("{}")).expect("a request");
        calls.close();
        let (_, mut late) = calls.register("a/b", &raw("{}")).expect("a request");
        assert_eq!(open.try_recv().expect_err("closed"), oneshot::error::TryRecvError::Closed);
        assert_eq!(late.try_recv().expect_err("closed"), oneshot::error::TryRecvError::Closed);
    }
}
