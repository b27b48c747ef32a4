//! The WebSocket face: jsonrpsee speaks the protocol, our layer answers the calls, and `runs/attach` is its
//! one subscription.
//!
//! What a connection may cost: a queue of `QUEUED_MESSAGES` batches of about 64 KiB (longer by one event at most),
//! and for each run it watches one read buffer and one batch. A client that does not read fills the queue, and
//! then its readers wait; what they have not read stays in the journal.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use hyper::body::Incoming;
use jsonrpsee::core::middleware::{Batch, Notification, RpcServiceBuilder, RpcServiceT};
use jsonrpsee::core::server::{
    MethodResponse, PendingSubscriptionSink, ResponsePayload, SubscriptionCloseResponse,
};
use jsonrpsee::server::{
    PingConfig, RandomStringIdProvider, RpcModule, ServerConfig, ServerHandle, StopHandle,
    TowerServiceBuilder, stop_channel,
};
use jsonrpsee::types::{ErrorObjectOwned, Id, Params, Request};
use od_protocol::api::ATTACH_RUNS;
use od_protocol::{ErrorKind, ErrorObject};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service as _;
use tower::layer::util::Identity;

use super::attach::{Attachment, read_params, take_place};
use super::calls;
use super::guard::{SUBPROTOCOL, offers_subprotocol};
use super::rate::Rate;
use super::refusal::{HttpResponse, Refusal};
use super::settings::ServeSettings;
use crate::service::{Client, Service};
use crate::telemetry::metrics::Present;

/// Messages that wait for a slow client.
const QUEUED_MESSAGES: u32 = 8;
/// A request that is too large is still read, up to so many times the limit, so that its client hears why it is
/// refused. Beyond that jsonrpsee answers in its own words, without an id.
const READ_BEYOND: u32 = 4;
/// Runs that all connections together may watch; more than there are descriptors.
const MOST_WATCHED: u32 = 1 << 20;
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// A client that answers no ping for so long is gone. Long enough for one that is merely slow: a ping
/// waits behind the events before it.
const SILENCE_LIMIT: Duration = Duration::from_secs(180);
/// Answers are as long as what was asked for; this is a guard against mistakes only.
const LARGEST_ANSWER: u32 = 512 * 1024 * 1024;

/// See the module.
pub(super) struct WebSocket {
    builder: TowerServiceBuilder<tower::layer::util::Stack<AnswerLayer, Identity>, Identity>,
    methods: RpcModule<Watching>,
    stop: StopHandle,
}

/// What every watched run needs.
struct Watching {
    service: Service,
    all: Arc<Semaphore>,
}

/// The end of all WebSockets.
#[derive(Debug)]
pub(super) struct Farewell {
    handle: ServerHandle,
    all: Arc<Semaphore>,
}

impl Farewell {
    /// Lets the last events of runs that are over be sent, then closes every connection. Runs of other
    /// processes that are watched go on, so this needs a limit of time.
    pub(super) async fn say(self, limit: Duration) {
        if tokio::time::timeout(limit, self.all.acquire_many(MOST_WATCHED)).await.is_err() {
            tracing::debug!("runs of other processes go on; they are no longer watched");
        }
        if self.handle.stop().is_ok()
            && tokio::time::timeout(limit, self.handle.stopped()).await.is_err()
        {
            tracing::debug!("WebSockets that did not end were cut");
        }
    }
}

/// What a connection brings with it.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) rate: Rate,
    /// Places for runs that it watches.
    pub(super) watching: Arc<Semaphore>,
    /// Its place among the connections, as long as it lives.
    #[expect(dead_code, reason = "dropping it gives the place back")]
    pub(super) held: Arc<(Arc<OwnedSemaphorePermit>, Present)>,
}

impl WebSocket {
    /// The face, and what ends it.
    pub(super) fn new(service: &Service, settings: &ServeSettings) -> (Self, Farewell) {
        let ping = PingConfig::new().ping_interval(PING_INTERVAL).inactive_limit(SILENCE_LIMIT);
        let config = ServerConfig::builder()
            .ws_only()
            .max_request_body_size(settings.max_request_bytes.saturating_mul(READ_BEYOND))
            .max_response_body_size(LARGEST_ANSWER)
            .max_connections(settings.max_connections)
            .max_subscriptions_per_connection(u32::MAX)
            .set_message_buffer_capacity(QUEUED_MESSAGES)
            .set_id_provider(RandomStringIdProvider::new(16))
            .enable_ws_ping(ping)
            .build();
        let layer = AnswerLayer { service: service.clone(), max_bytes: settings.max_request_bytes };
        let builder = jsonrpsee::server::ServerBuilder::with_config(config)
            .set_rpc_middleware(RpcServiceBuilder::new().layer(layer))
            .to_service_builder();
        let (stop, handle) = stop_channel();
        let all = Arc::new(Semaphore::new(MOST_WATCHED as usize));
        let methods = methods(Watching { service: service.clone(), all: Arc::clone(&all) });
        (Self { builder, methods, stop }, Farewell { handle, all })
    }

    /// Takes a connection over.
    pub(super) async fn upgrade(
        &self,
        mut request: http::Request<Incoming>,
        connection: Connection,
    ) -> HttpResponse {
        let chosen = offers_subprotocol(request.headers());
        // They hold the token, and whoever logs the request must not see it.
        request.headers_mut().remove(AUTHORIZATION);
        request.headers_mut().remove(SEC_WEBSOCKET_PROTOCOL);
        request.extensions_mut().insert(connection);
        let mut service = self.builder.clone().build(self.methods.clone(), self.stop.clone());
        let mut response = match service.call(request).await {
            Ok(response) => response,
            Err(failure) => {
                tracing::debug!(failure, "a WebSocket could not be opened");
                let error =
                    ErrorObject::new(ErrorKind::Internal, "the WebSocket could not be opened");
                return Refusal::of_error(error).into_response();
            }
        };
        if chosen {
            let name = HeaderValue::from_static(SUBPROTOCOL);
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, name);
        }
        response
    }
}

fn methods(watching: Watching) -> RpcModule<Watching> {
    let mut module = RpcModule::new(watching);
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
    module
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
        Ok((Attachment::open(&watching.service, &params)?, (place, one_of_all)))
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
                if sink.send(item).await.is_err() {
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

/// Answers every call with the [`Service`]; only subscriptions go further in.
#[derive(Debug, Clone)]
struct AnswerLayer {
    service: Service,
    max_bytes: u32,
}

#[derive(Debug, Clone)]
struct Answers<S> {
    layer: AnswerLayer,
    inner: S,
}

impl AnswerLayer {
    fn admit(&self, connection: &Connection, request: &Request<'_>) -> Result<(), Refusal> {
        let length = request.params.as_ref().map_or(0, |params| params.get().len());
        let admitted = match connection.rate.check() {
            Err(wait) => Err(Refusal::too_many_calls(wait)),
            Ok(()) if length > self.max_bytes as usize => Err(Refusal::too_large(self.max_bytes)),
            Ok(()) => Ok(()),
        };
        if let Err(Refusal { reason: Some(reason), .. }) = &admitted {
            self.service.host().telemetry().metrics().refused(*reason);
        }
        admitted
    }
}

impl<S> tower::Layer<S> for AnswerLayer {
    type Service = Answers<S>;

    fn layer(&self, inner: S) -> Answers<S> {
        Answers { layer: self.clone(), inner }
    }
}

impl<S> RpcServiceT for Answers<S>
where
    S: RpcServiceT<MethodResponse = MethodResponse> + Clone + Send + Sync + 'static,
{
    type MethodResponse = MethodResponse;
    type NotificationResponse = MethodResponse;
    type BatchResponse = MethodResponse;

    fn call<'a>(&self, request: Request<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let Self { layer, inner } = self.clone();
        async move {
            let Some(connection) = request.extensions.get::<Connection>() else {
                let error = ErrorObject::new(ErrorKind::Internal, "the connection is unknown");
                return MethodResponse::error(request.id, owned(error));
            };
            if let Err(refusal) = layer.admit(connection, &request) {
                return MethodResponse::error(request.id, owned(*refusal.error));
            }
            if [ATTACH_RUNS.subscribe, ATTACH_RUNS.unsubscribe].contains(&&*request.method) {
                return inner.call(request).await;
            }
            let client = &connection.client;
            let params = request.params.as_deref();
            let answer = calls::call(&layer.service, client, &request.method, params);
            respond(request.id.clone(), answer.await)
        }
    }

    fn batch<'a>(&self, _batch: Batch<'a>) -> impl Future<Output = MethodResponse> + Send + 'a {
        let error = calls::no_batches();
        std::future::ready(MethodResponse::error(Id::Null, owned(error)))
    }

    fn notification<'a>(
        &self,
        _notification: Notification<'a>,
    ) -> impl Future<Output = MethodResponse> + Send + 'a {
        std::future::ready(MethodResponse::notification())
    }
}

fn respond(id: Id<'_>, answer: calls::Answer) -> MethodResponse {
    match answer {
        Ok(result) => {
            MethodResponse::response(id, ResponsePayload::success(result), LARGEST_ANSWER as usize)
        }
        Err(error) => MethodResponse::error(id, owned(error)),
    }
}

fn owned(error: ErrorObject) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(error.code, error.message, error.data)
}
