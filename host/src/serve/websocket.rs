//! The WebSocket face: jsonrpsee speaks the protocol, `answers` answers the calls, and `runs/attach` is its one
//! subscription (`watching`).
//!
//! What a connection may cost: a queue of `QUEUED_MESSAGES` batches of about 64 KiB (longer by one event at most),
//! and for each run it watches one read buffer and one batch. A client that does not read fills the queue, and
//! then its readers wait; what they have not read stays in the journal.

mod answers;
mod watching;

use std::sync::Arc;

use http::HeaderValue;
use http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use hyper::body::Incoming;
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::server::{
    PingConfig, RandomStringIdProvider, RpcModule, ServerBuilder, ServerConfig, StopHandle,
    TowerServiceBuilder, stop_channel,
};
use jsonrpsee::types::ErrorObjectOwned;
use od_protocol::{ErrorKind, ErrorObject};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service as _;
use tower::layer::util::{Identity, Stack};

use super::attach::Attachments;
use super::guard::{SUBPROTOCOL, offers_subprotocol};
use super::limits::TimeLimits;
use super::rate::Rate;
use super::refusal::{HttpResponse, Refusal};
use super::settings::ServeSettings;
use crate::service::Client;
use crate::telemetry::metrics::Present;
use answers::AnswerLayer;
use watching::Watching;

pub(super) use watching::Farewell;

/// Messages that wait for a slow client.
const QUEUED_MESSAGES: u32 = 8;
/// A request that is too large is still read, up to so many times the limit, so that its client hears why it is
/// refused. Beyond that jsonrpsee answers in its own words, without an id.
const READ_BEYOND: u32 = 4;
/// Answers are as long as what was asked for; this is a guard against mistakes only.
const LARGEST_ANSWER: u32 = 512 * 1024 * 1024;

/// See the module.
pub(super) struct WebSocket {
    builder: TowerServiceBuilder<Stack<AnswerLayer, Identity>, Identity>,
    methods: RpcModule<Watching>,
    stop: StopHandle,
}

/// What a connection brings with it.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) rate: Rate,
    /// Places for runs that it watches.
    pub(super) watching: Arc<Semaphore>,
    /// Places for runs that it waits for.
    pub(super) waiting: Arc<Semaphore>,
    /// Its place among the connections, as long as it lives.
    #[expect(dead_code, reason = "dropping it gives the place back")]
    pub(super) held: Arc<(Arc<OwnedSemaphorePermit>, Present)>,
}

impl WebSocket {
    /// The face, and what ends it.
    pub(super) fn new(
        attachments: &Attachments,
        settings: &ServeSettings,
        limits: &TimeLimits,
    ) -> (Self, Farewell) {
        let ping = PingConfig::new().ping_interval(limits.ping).inactive_limit(limits.silence);
        let config = ServerConfig::builder()
            .ws_only()
            .max_request_body_size(settings.max_request_bytes.saturating_mul(READ_BEYOND))
            .max_response_body_size(LARGEST_ANSWER)
            .max_connections(settings.max_connections)
            .max_subscriptions_per_connection(watching::MOST)
            .set_message_buffer_capacity(QUEUED_MESSAGES)
            .set_id_provider(RandomStringIdProvider::new(16))
            .enable_ws_ping(ping)
            .build();
        let service = attachments.service().clone();
        let layer = AnswerLayer { service, max_bytes: settings.max_request_bytes };
        let builder = ServerBuilder::with_config(config)
            .set_rpc_middleware(RpcServiceBuilder::new().layer(layer))
            .to_service_builder();
        let (stop, handle) = stop_channel();
        let (methods, farewell) = watching::methods(attachments.clone(), handle);
        (Self { builder, methods, stop }, farewell)
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

fn owned(error: ErrorObject) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(error.code, error.message, error.data)
}
