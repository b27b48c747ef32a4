//! The API for one client on stdio or a WebSocket: requests run concurrently, and `runs/attach` sends the events
//! of a run until its end, `runs/detach` or the end of the session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use od_protocol::api::ATTACH_RUN;
use od_protocol::{ErrorKind, ErrorObject, RequestId};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use uuid::Uuid;

use super::calls;
use super::rate::ClientRate;
use super::refusal::{Refusal, error};
use super::subscription::{RunSubscription, RunSubscriptions, parse_params, take_slot};
use crate::json_rpc::{
    CallResult, Handler, Output, Request, to_json, write_notification, write_reply,
};
use crate::service::Client;
use crate::settings::ServeSettings;
use crate::sync::lock;

/// Requests of one client that run at the same time; the next message is read when one has been answered.
const MAX_CONCURRENT_CALLS: usize = 256;
/// How long the last events of ended runs may take to be sent when a session closes.
const LAST_EVENTS_GRACE: Duration = Duration::from_secs(2);

/// The runs that a client is attached to, by subscription id.
type ActiveSubscriptions = Mutex<HashMap<String, AbortHandle>>;

/// See the module. Dropping it stops its subscriptions and the calls that only wait.
#[derive(Debug)]
pub(super) struct ApiHandler {
    subscriptions: RunSubscriptions,
    client: Client,
    rate: ClientRate,
    max_request_bytes: u32,
    calls: JoinSet<()>,
    call_slots: Arc<Semaphore>,
    followers: JoinSet<()>,
    subscription_slots: Arc<Semaphore>,
    wait_slots: Arc<Semaphore>,
    active: Arc<ActiveSubscriptions>,
}

impl ApiHandler {
    pub(super) fn new(
        subscriptions: RunSubscriptions,
        settings: &ServeSettings,
        client: Client,
        rate: ClientRate,
    ) -> Self {
        let slots = || Arc::new(Semaphore::new(settings.max_subscriptions as usize));
        Self {
            subscriptions,
            client,
            rate,
            max_request_bytes: settings.max_request_bytes,
            calls: JoinSet::new(),
            call_slots: Arc::new(Semaphore::new(MAX_CONCURRENT_CALLS)),
            followers: JoinSet::new(),
            subscription_slots: slots(),
            wait_slots: slots(),
            active: Arc::default(),
        }
    }

    /// Waits for the calls in progress, then for the last events of ended runs.
    pub(super) async fn close(mut self) {
        while self.calls.join_next().await.is_some() {}
        let last_events = async { while self.followers.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_EVENTS_GRACE, last_events).await.is_err() {
            tracing::debug!("detached from runs of other processes that are still running");
        }
    }

    fn admit(&self, request: &Request<'_>) -> Result<(), Refusal> {
        let length = request.params.map_or(0, |params| params.get().len());
        let admitted = match self.rate.check() {
            Err(wait) => Err(Refusal::too_many_calls(wait)),
            Ok(()) if length > self.max_request_bytes as usize => {
                Err(Refusal::too_large(self.max_request_bytes))
            }
            Ok(()) => Ok(()),
        };
        if let Err(Refusal { reason: Some(reason), .. }) = &admitted {
            self.subscriptions.service().host().telemetry().metrics().refused(*reason);
        }
        admitted
    }

    async fn call(&mut self, request: Request<'_>, output: &Output) {
        let slot = match calls::take_wait_slot(&request.method, &self.wait_slots) {
            Ok(Some(slot)) => slot,
            Ok(None) => match Arc::clone(&self.call_slots).acquire_owned().await {
                Ok(slot) => slot,
                Err(_) => return,
            },
            Err(error) => return output.reply(request.id, &Err(error)).await,
        };
        let (service, client) = (self.subscriptions.service().clone(), self.client.clone());
        let (id, method) = (RequestId::from(request.id), request.method.into_owned());
        let params = request.params.map(ToOwned::to_owned);
        let output = output.clone();
        self.calls.spawn(async move {
            let result = calls::call(&service, &client, &method, params.as_deref()).await;
            if let Some(permit) = output.reserve().await {
                drop(slot); // A client that has this reply may call again.
                permit.send(write_reply(&id, &result));
            }
        });
    }

    async fn attach(&mut self, request: &Request<'_>, output: &Output) {
        let (subscription, slot) = match self.open(request) {
            Ok(opened) => opened,
            Err(error) => return output.reply(request.id, &Err(error)).await,
        };
        let id = Uuid::new_v4().simple().to_string();
        // The reply comes first: until then the client does not know the id that the events carry.
        output.reply(request.id, &to_json(&id)).await;
        let follower = Follower {
            subscription,
            id: id.clone(),
            output: output.clone(),
            active: Arc::clone(&self.active),
        };
        let mut active = lock(&self.active);
        let task = self.followers.spawn(async move {
            follower.run().await;
            drop(slot);
        });
        active.insert(id, task);
    }

    fn open(
        &self,
        request: &Request<'_>,
    ) -> Result<(RunSubscription, OwnedSemaphorePermit), ErrorObject> {
        let slot = take_slot(&self.subscription_slots)?;
        let params = parse_params(request.params.map(RawValue::get))?;
        Ok((self.subscriptions.open(&params)?, slot))
    }

    /// Whether the subscription was active.
    fn detach(&mut self, params: Option<&RawValue>) -> CallResult {
        let text = params.map_or("null", RawValue::get);
        let (id,): (String,) = serde_json::from_str(text).map_err(|_| {
            let text = format!("invalid parameters of {}", ATTACH_RUN.unsubscribe);
            error(ErrorKind::InvalidParams, text, "send [ID] with the id that runs/attach returned")
        })?;
        let task = lock(&self.active).remove(&id);
        if let Some(task) = &task {
            task.abort();
        }
        to_json(&task.is_some())
    }
}

impl Handler for ApiHandler {
    async fn handle(&mut self, request: Request<'_>, output: &Output) {
        while self.calls.try_join_next().is_some() || self.followers.try_join_next().is_some() {}
        if let Err(refusal) = self.admit(&request) {
            return output.reply(request.id, &Err(*refusal.error)).await;
        }
        if request.method == ATTACH_RUN.subscribe {
            self.attach(&request, output).await;
        } else if request.method == ATTACH_RUN.unsubscribe {
            let detached = self.detach(request.params);
            output.reply(request.id, &detached).await;
        } else {
            self.call(request, output).await;
        }
    }
}

/// Sends the events of one run to one client.
struct Follower {
    subscription: RunSubscription,
    id: String,
    output: Output,
    active: Arc<ActiveSubscriptions>,
}

impl Follower {
    async fn run(mut self) {
        loop {
            let (message, is_last) = match self.subscription.next_json().await {
                Ok(Some(batch)) => (self.notification(Ok(batch.json())), false),
                Ok(None) => break,
                Err(failure) => (self.notification(Err(failure.into_error_object())), true),
            };
            let Some(permit) = self.output.reserve().await else { break };
            // After the reply to `runs/detach` the client gets nothing, not even a batch that was ready.
            let active = lock(&self.active);
            if !active.contains_key(&self.id) {
                return;
            }
            permit.send(message);
            if is_last {
                break;
            }
        }
        lock(&self.active).remove(&self.id);
    }

    fn notification(&self, events: Result<&RawValue, ErrorObject>) -> Vec<u8> {
        let (result, error) = match events {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        let params = NotificationParams { subscription: &self.id, result, error };
        write_notification(ATTACH_RUN.notification, &params)
    }
}

/// The parameters of `runs/event`: a batch of events, or the error that ends the subscription.
#[derive(Serialize)]
struct NotificationParams<'a> {
    subscription: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorObject>,
}
