//! One call of a method for a client: its time limit, and a typed error when the method panics.

use std::sync::Arc;
use std::time::Duration;

use od_protocol::{ErrorKind, ErrorObject, api};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

use super::discover;
use super::refusal::error;
use super::subscription::take_slot;
use crate::json_rpc::CallResult;
use crate::service::{Client, Service};

/// Calls a method. A client that disconnects does not stop it half-way.
pub(super) async fn call(
    service: &Service,
    client: &Client,
    method: &str,
    params: Option<&RawValue>,
) -> CallResult {
    if method == discover::METHOD {
        return Ok(discover::document());
    }
    let limit = limit_of(method);
    let task = {
        let (service, client, method) = (service.clone(), client.clone(), method.to_owned());
        let params = params.map(ToOwned::to_owned);
        tokio::spawn(async move { service.call(&client, &method, params.as_deref()).await })
    };
    let mut call = RunningCall { task, stops_with_client: waits_for_run(method) };
    match tokio::time::timeout(limit, &mut call.task).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(error(
            ErrorKind::Internal,
            format!("{method} failed inside the host"),
            "its log on stderr shows where; please report it",
        )),
        Err(_) => Err(error(
            ErrorKind::Timeout,
            format!("{method} took longer than {} s", limit.as_secs()),
            "try again; `od-host doctor` checks what could be slow",
        )
        .with_which("call")),
    }
}

fn limit_of(method: &str) -> Duration {
    if waits_for_run(method) {
        return Duration::MAX; // The client sets it with `waitMs`.
    }
    let known = api::METHODS.iter().find(|known| known.name == method);
    known.unwrap_or(&api::GET_HOST_INFO).limit()
}

/// Whether a method waits for a run, possibly for hours: it has separate slots and stops with its client.
fn waits_for_run(method: &str) -> bool {
    method == api::GET_RUN_RESULT.name
}

/// Takes a slot for a method that waits for a run; `None` for every other method.
pub(super) fn take_wait_slot(
    method: &str,
    slots: &Arc<Semaphore>,
) -> Result<Option<OwnedSemaphorePermit>, ErrorObject> {
    waits_for_run(method).then(|| take_slot(slots)).transpose()
}

struct RunningCall {
    task: JoinHandle<CallResult>,
    stops_with_client: bool,
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        if self.stops_with_client {
            self.task.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_waiting_for_run_has_no_limit() {
        for method in api::METHODS {
            let expected = if waits_for_run(method.name) { Duration::MAX } else { method.limit() };
            assert_eq!(limit_of(method.name), expected, "{}", method.name);
        }
        assert!(waits_for_run("runs/result") && !waits_for_run("runs/get"));
        assert_eq!(limit_of("runs/nothing"), api::GET_HOST_INFO.limit());
    }
}
