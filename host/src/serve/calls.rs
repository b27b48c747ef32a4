//! One call from the outside: its time limit, its panics, and its answer as JSON-RPC.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use od_protocol::{ErrorKind, ErrorObject, Message, api};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

use super::attach::take_place;
use super::discover;
use super::refusal::error;
use crate::service::{Client, Service};

/// What a method answers.
pub(super) type Answer = Result<Box<RawValue>, ErrorObject>;

/// Calls a method. A client that goes away does not stop it half-way.
pub(super) async fn call(
    service: &Service,
    client: &Client,
    method: &str,
    params: Option<&RawValue>,
) -> Answer {
    if method == discover::METHOD {
        return Ok(discover::document());
    }
    let limit = limit_of(method);
    let task = {
        let (service, client, method) = (service.clone(), client.clone(), method.to_owned());
        let params = params.filter(|params| params.get() != "null").map(ToOwned::to_owned);
        tokio::spawn(async move { service.call(&client, &method, params.as_deref()).await })
    };
    // What only waits may be given up; everything else comes to its end.
    let mut work = Work { task, ends_with_client: waits(method) };
    match tokio::time::timeout(limit, &mut work.task).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(error(
            ErrorKind::Internal,
            format!("the host failed in {method}"),
            "its log on stderr says where; please report it",
        )),
        Err(_) => Err(error(
            ErrorKind::Timeout,
            format!("{method} took longer than {} s", limit.as_secs()),
            "ask again; `od-host doctor` checks what could be slow",
        )
        .with_which("call")),
    }
}

/// How long a call may take.
fn limit_of(method: &str) -> Duration {
    if waits(method) {
        return Duration::MAX; // As long as its client has asked for.
    }
    let known = api::METHODS.iter().find(|known| known.name == method);
    known.unwrap_or(&api::GET_HOST_INFO).limit()
}

/// Whether a method waits for a run: for hours perhaps, so it has a place of its own and ends with its client.
pub(super) fn waits(method: &str) -> bool {
    method == api::GET_RUN_RESULT.name
}

/// A place for a method that waits; `None` for one that does not.
pub(super) fn take_waiting_place(
    method: &str,
    places: &Arc<Semaphore>,
) -> Result<Option<OwnedSemaphorePermit>, ErrorObject> {
    waits(method).then(|| take_place(Arc::clone(places))).transpose()
}

struct Work {
    task: JoinHandle<Answer>,
    ends_with_client: bool,
}

impl Drop for Work {
    fn drop(&mut self) {
        if self.ends_with_client {
            self.task.abort();
        }
    }
}

/// A call as it was sent.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// To be echoed exactly.
    pub(super) id: &'a str,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
    /// Reads a call. `None` for a notification, which nobody waits for and no method is.
    pub(super) fn read(text: &'a [u8]) -> Result<Option<Self>, ErrorObject> {
        if text.trim_ascii_start().starts_with(b"[") {
            return Err(no_batches());
        }
        match Message::read(text)? {
            Message::Request { id, method, params } => {
                Ok(Some(Self { id: id.get(), method, params }))
            }
            Message::Notification { .. } => Ok(None),
            Message::Response { .. } => Err(ErrorObject::new(
                ErrorKind::InvalidRequest,
                "the host asks nothing, so it takes no answers",
            )),
        }
    }
}

/// A JSON-RPC answer; the id is JSON already.
pub(super) fn response(id: &str, answer: Answer) -> String {
    match answer {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, result.get()),
        Err(error) => {
            let error = serde_json::to_string(&error).unwrap_or_else(|_| "null".to_owned());
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
        }
    }
}

/// The error for several calls at once.
pub(super) fn no_batches() -> ErrorObject {
    let hint = "send one call at a time; calls do not wait for each other";
    error(ErrorKind::InvalidRequest, "batches are not taken", hint)
}

/// The error for an attach where events cannot flow back.
pub(super) fn no_subscription_here() -> ErrorObject {
    error(
        ErrorKind::InvalidRequest,
        "events cannot be sent over a single HTTP call",
        "use a WebSocket, or GET /runs/{runId}/events",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_wait_for_a_run_has_no_end() {
        for method in api::METHODS {
            let expected = if waits(method.name) { Duration::MAX } else { method.limit() };
            assert_eq!(limit_of(method.name), expected, "{}", method.name);
        }
        assert!(waits("runs/result") && !waits("runs/get"));
        assert_eq!(limit_of("runs/nothing"), api::GET_HOST_INFO.limit());
    }
}
