//! `runs/attach` over a WebSocket, and the end of all WebSockets, which waits for what is still to be sent.

use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::core::server::{
    PendingSubscriptionSink, SubscriptionCloseResponse, SubscriptionMessage, SubscriptionSink,
};
use jsonrpsee::server::{RpcModule, ServerHandle};
use jsonrpsee::types::Params;
use od_protocol::api::ATTACH_RUNS;
use tokio::sync::Semaphore;

use super::super::attach::{Attachments, read_params, take_place};
use super::super::wording::Item;
use super::{Connection, owned};

/// Runs that all connections together may watch; more than there are descriptors.
pub(super) const MOST: u32 = 1 << 20;

/// What every watched run needs.
pub(super) struct Watching {
    attachments: Attachments,
    all: Arc<Semaphore>,
}

/// The end of all WebSockets.
#[derive(Debug)]
pub(in crate::serve) struct Farewell {
    handle: ServerHandle,
    all: Arc<Semaphore>,
}

impl Farewell {
    /// Lets the last events of runs that are over be sent, then closes every connection. Runs of other
    /// processes that are watched go on, so this needs a limit of time.
    pub(in crate::serve) async fn say(self, limit: Duration) {
        if tokio::time::timeout(limit, self.all.acquire_many(MOST)).await.is_err() {
            tracing::debug!("runs of other processes go on; they are no longer watched");
        }
        if self.handle.stop().is_ok()
            && tokio::time::timeout(limit, self.handle.stopped()).await.is_err()
        {
            tracing::debug!("WebSockets that did not end were cut");
        }
    }
}

/// The one subscription, and what ends it.
pub(super) fn methods(
    attachments: Attachments,
    handle: ServerHandle,
) -> (RpcModule<Watching>, Farewell) {
    let all = Arc::new(Semaphore::new(MOST as usize));
    let mut module = RpcModule::new(Watching { attachments, all: Arc::clone(&all) });
    let registered = module.register_subscription(
        ATTACH_RUNS.subscribe,
        ATTACH_RUNS.notification,
        ATTACH_RUNS.unsubscribe,
        |params, pending, watching, extensions| async move {
            let connection = extensions.get::<Connection>();
            let places = connection.map(|connection| Arc::clone(&connection.watching));
            // Every upgrade puts a connection there; without one nothing may be watched.
            let places = places.unwrap_or_else(|| Arc::new(Semaphore::new(0)));
            attach(params, pending, &watching, places).await
        },
    );
    registered.expect("the names of one subscription differ");
    (module, Farewell { handle, all })
}

/// One watched run, until its end or until the client has enough.
async fn attach(
    params: Params<'static>,
    pending: PendingSubscriptionSink,
    watching: &Watching,
    places: Arc<Semaphore>,
) -> SubscriptionCloseResponse {
    let opened = take_place(places).and_then(|place| {
        let one_of_all = take_place(Arc::clone(&watching.all))?;
        let params = read_params(params.as_str())?;
        Ok((watching.attachments.open(&params)?, (place, one_of_all)))
    });
    let (mut attachment, _places) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            pending.reject(owned(error)).await;
            return SubscriptionCloseResponse::None;
        }
    };
    let Ok(sink) = pending.accept().await else { return SubscriptionCloseResponse::None };
    loop {
        let item = tokio::select! {
            () = sink.closed() => return SubscriptionCloseResponse::None,
            item = attachment.next_item() => item,
        };
        match item {
            Ok(Some(item)) => {
                if sink.send(notification(&sink, &item)).await.is_err() {
                    return SubscriptionCloseResponse::None;
                }
            }
            Ok(None) => return SubscriptionCloseResponse::None,
            Err(error) => {
                let error = serde_json::value::to_raw_value(&error.into_error_object());
                let failure = error.map(Into::into).unwrap_or_else(|error| error.into());
                return SubscriptionCloseResponse::NotifErr(failure);
            }
        }
    }
}

/// `runs/event` with the id of the subscription; the words of the item are copied once.
fn notification(sink: &SubscriptionSink, item: &Item) -> SubscriptionMessage {
    let id = sink.subscription_id();
    let message = SubscriptionMessage::new(ATTACH_RUNS.notification, id, &item.get());
    message.expect("JSON has a JSON form")
}
