//! WebSockets: the upgrade from HTTP, and one [`Session`](crate::json_rpc::Session) per connection.
//!
//! Memory per connection: a queue of `QUEUED_MESSAGES` batches of about 64 KiB, and for each attached run one read
//! buffer and one batch. A client that does not read fills the queue, then its subscriptions wait; the events
//! stay in the journal.

mod connection;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::header::SEC_WEBSOCKET_PROTOCOL;
use http::{HeaderValue, Request, StatusCode};
use hyper::body::Incoming;
use od_protocol::{ErrorKind, ErrorObject};
use soketto::handshake::http::Server as Handshake;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

use super::guard::{SUBPROTOCOL, offers_subprotocol};
use super::limits::TimeLimits;
use super::rate::ClientRate;
use super::refusal::{HttpResponse, Refusal, empty_body};
use super::session::ApiHandler;
use super::subscription::RunSubscriptions;
use crate::service::Client;
use crate::settings::ServeSettings;
use crate::telemetry::metrics::GaugeGuard;
use connection::Connection;

/// What every WebSocket connection shares.
pub(super) struct WebSockets {
    subscriptions: RunSubscriptions,
    settings: ServeSettings,
    limits: TimeLimits,
    stop: watch::Receiver<()>,
    /// Each connection holds a clone, so the channel closes when the last one has ended.
    open: mpsc::Sender<Infallible>,
}

/// Who opens a connection.
pub(super) struct Peer {
    pub(super) client: Client,
    pub(super) rate: ClientRate,
    /// Counts it among the connections until it is dropped.
    pub(super) held: (Arc<OwnedSemaphorePermit>, GaugeGuard),
}

/// Ends all WebSockets.
#[derive(Debug)]
pub(super) struct Shutdown {
    stop: watch::Sender<()>,
    open: mpsc::Receiver<Infallible>,
}

impl Shutdown {
    /// Sends the last events of ended runs, closes every connection, and waits at most this long for it.
    pub(super) async fn run(self, limit: Duration) {
        let Self { stop, mut open } = self;
        drop(stop);
        if tokio::time::timeout(limit, open.recv()).await.is_err() {
            tracing::debug!("some WebSockets did not close in time");
        }
    }
}

impl WebSockets {
    pub(super) fn new(
        subscriptions: RunSubscriptions,
        settings: &ServeSettings,
        limits: TimeLimits,
    ) -> (Self, Shutdown) {
        let (stop, stopped) = watch::channel(());
        let (open, all_ended) = mpsc::channel(1);
        let settings = settings.clone();
        let sockets = Self { subscriptions, settings, limits, stop: stopped, open };
        (sockets, Shutdown { stop, open: all_ended })
    }

    /// Accepts the upgrade; a separate task serves the connection.
    pub(super) fn upgrade(
        &self,
        mut request: Request<Incoming>,
        peer: Peer,
    ) -> Result<HttpResponse, Refusal> {
        let mut handshake = Handshake::new();
        let accepted = handshake.receive_request(&request).map_err(|error| {
            let text = format!("invalid WebSocket handshake: {error}");
            let error = ErrorObject::new(ErrorKind::InvalidRequest, text);
            Refusal::because(StatusCode::BAD_REQUEST, error)
        })?;
        let mut response = accepted.map(|()| empty_body());
        if offers_subprotocol(request.headers()) {
            let name = HeaderValue::from_static(SUBPROTOCOL);
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, name);
        }
        let connection = Connection {
            handler: ApiHandler::new(
                self.subscriptions.clone(),
                &self.settings,
                peer.client,
                peer.rate,
            ),
            max_request_bytes: self.settings.max_request_bytes,
            limits: self.limits,
            stop: self.stop.clone(),
        };
        let held = (peer.held, self.open.clone());
        tokio::spawn(async move {
            match hyper::upgrade::on(&mut request).await {
                Ok(stream) => connection.run(handshake, stream).await,
                Err(error) => tracing::debug!(%error, "the WebSocket upgrade failed"),
            }
            drop(held);
        });
        Ok(response)
    }
}
