//! One client on a pipe: its calls, which do not wait for each other, and the runs it watches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use od_protocol::api::ATTACH_RUNS;
use od_protocol::{ErrorKind, ErrorObject};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::mpsc::Sender;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use uuid::Uuid;

use super::super::attach::{Attachment, Attachments, read_params, take_place};
use super::super::calls::{self, Answer, Request};
use super::super::refusal::{Refusal, error};
use super::super::settings::ServeSettings;
use crate::service::{Client, Service};
use crate::telemetry::metrics::{Face, Present};

/// Calls at the same time; the next line is read when one has been answered.
const MOST_CALLS: usize = 256;

/// How long the last events of a run may take to be sent.
const LAST_EVENTS: Duration = Duration::from_secs(2);

/// The runs that are watched, by the ids that the client knows.
type Subscriptions = Mutex<HashMap<String, AbortHandle>>;

/// See the module.
pub(super) struct Session {
    attachments: Attachments,
    client: Client,
    max_bytes: u32,
    output: Sender<Vec<u8>>,
    calls: JoinSet<()>,
    call_places: Arc<Semaphore>,
    watching: JoinSet<()>,
    watch_places: Arc<Semaphore>,
    wait_places: Arc<Semaphore>,
    subscriptions: Arc<Subscriptions>,
    #[expect(dead_code, reason = "counted as long as it lives")]
    present: Present,
}

impl Session {
    pub(super) fn new(service: Service, settings: &ServeSettings, output: Sender<Vec<u8>>) -> Self {
        let present = service.host().telemetry().metrics().client(Face::Stdio);
        Self {
            present,
            attachments: Attachments::new(service),
            client: Client("stdio".to_owned()),
            max_bytes: settings.max_request_bytes,
            output,
            calls: JoinSet::new(),
            call_places: Arc::new(Semaphore::new(MOST_CALLS)),
            watching: JoinSet::new(),
            watch_places: Arc::new(Semaphore::new(settings.max_subscriptions as usize)),
            wait_places: Arc::new(Semaphore::new(settings.max_subscriptions as usize)),
            subscriptions: Arc::default(),
        }
    }

    /// Takes one line.
    pub(super) async fn take(&mut self, line: &[u8]) {
        while self.calls.try_join_next().is_some() || self.watching.try_join_next().is_some() {}
        let request = match Request::read(line) {
            Ok(Some(request)) => request,
            Ok(None) => return tracing::debug!("a notification was left out"),
            Err(error) => return self.answer("null", Err(error)).await,
        };
        if request.method == ATTACH_RUNS.subscribe {
            return self.attach(&request).await;
        }
        if request.method == ATTACH_RUNS.unsubscribe {
            let detached = self.detach(request.params);
            return self.answer(request.id, detached).await;
        }
        let place = match calls::take_waiting_place(&request.method, &self.wait_places) {
            Ok(Some(place)) => Ok(place),
            Ok(None) => Arc::clone(&self.call_places).acquire_owned().await,
            Err(error) => return self.answer(request.id, Err(error)).await,
        };
        if let Ok(place) = place {
            self.call(&request, place);
        }
    }

    /// Tells that a line was too long.
    pub(super) async fn refuse_long_line(&self) {
        self.answer("null", Err(*Refusal::too_large(self.max_bytes).error)).await;
    }

    /// Lets the calls end that are being answered, and sends the last events of runs that are over.
    pub(super) async fn close(mut self) {
        while self.calls.join_next().await.is_some() {}
        let last_events = async { while self.watching.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_EVENTS, last_events).await.is_err() {
            tracing::debug!("runs of other processes go on; they are no longer watched");
        }
    }

    fn call(&mut self, request: &Request<'_>, place: OwnedSemaphorePermit) {
        let (service, client) = (self.attachments.service().clone(), self.client.clone());
        let (id, method) = (request.id.to_owned(), request.method.clone().into_owned());
        let params = request.params.map(ToOwned::to_owned);
        let output = self.output.clone();
        self.calls.spawn(async move {
            let answer = calls::call(&service, &client, &method, params.as_deref()).await;
            if let Ok(slot) = output.reserve().await {
                drop(place); // Whoever has this answer may ask again.
                slot.send(line(calls::response(&id, answer)));
            }
        });
    }

    async fn attach(&mut self, request: &Request<'_>) {
        let opened = self.open(request);
        let (attachment, place) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.answer(request.id, Err(error)).await,
        };
        let subscription = Uuid::new_v4().simple().to_string();
        // The answer first, or the first events would name a subscription that nobody knows.
        self.answer(request.id, to_json(&subscription)).await;
        let (output, subscriptions) = (self.output.clone(), Arc::clone(&self.subscriptions));
        let id = subscription.clone();
        let mut watched = lock(&self.subscriptions);
        let handle = self.watching.spawn(async move {
            watch(attachment, &id, &output, &subscriptions).await;
            lock(&subscriptions).remove(&id);
            drop(place);
        });
        watched.insert(subscription, handle);
    }

    fn open(
        &self,
        request: &Request<'_>,
    ) -> Result<(Attachment, OwnedSemaphorePermit), ErrorObject> {
        let place = take_place(Arc::clone(&self.watch_places))?;
        let params = read_params(request.params.map(RawValue::get))?;
        Ok((self.attachments.open(&params)?, place))
    }

    /// True when it was there.
    fn detach(&mut self, params: Option<&RawValue>) -> Answer {
        let text = params.map_or("null", RawValue::get);
        let (subscription,): (String,) = serde_json::from_str(text).map_err(|failure| {
            tracing::debug!(%failure, "a subscription cannot be read");
            let text = format!("the parameters of {} do not fit", ATTACH_RUNS.unsubscribe);
            error(ErrorKind::InvalidParams, text, "send [ID], with the id that runs/attach gave")
        })?;
        let handle = lock(&self.subscriptions).remove(&subscription);
        if let Some(handle) = &handle {
            handle.abort();
        }
        to_json(&handle.is_some())
    }

    async fn answer(&self, id: &str, answer: Answer) {
        send(&self.output, calls::response(id, answer)).await;
    }
}

/// Sends events until the end of the run.
async fn watch(
    mut attachment: Attachment,
    subscription: &str,
    output: &Sender<Vec<u8>>,
    subscriptions: &Subscriptions,
) {
    loop {
        let message = match attachment.next_item().await {
            Ok(Some(item)) => notification(subscription, "result", item.get()),
            Ok(None) => return,
            Err(failure) => {
                if let Ok(error) = to_raw_value(&failure.into_error_object()) {
                    send(output, notification(subscription, "error", &error)).await;
                }
                return;
            }
        };
        let Ok(slot) = output.reserve().await else { return };
        // Whoever has detached hears nothing after the answer, though this was about to speak.
        let watched = lock(subscriptions);
        if !watched.contains_key(subscription) {
            return;
        }
        slot.send(line(message));
    }
}

fn notification(subscription: &str, member: &str, value: &RawValue) -> String {
    let method = ATTACH_RUNS.notification;
    format!(
        r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"subscription":"{subscription}","{member}":{value}}}}}"#
    )
}

/// False when nobody reads any more.
async fn send(output: &Sender<Vec<u8>>, message: String) -> bool {
    output.send(line(message)).await.is_ok()
}

fn line(message: String) -> Vec<u8> {
    let mut line = message.into_bytes();
    line.push(b'\n');
    line
}

fn to_json(value: &impl serde::Serialize) -> Answer {
    to_raw_value(value).map_err(|error| ErrorObject::new(ErrorKind::Internal, error.to_string()))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
