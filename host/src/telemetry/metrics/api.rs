//! Metrics of the API: calls, rejected requests, connected clients.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::labels::{self, ByMethod, ByMethodAndOutcome, ByReason, ByTransport};

const CALL_SECONDS: [f64; 11] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// How a client is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A WebSocket.
    WebSocket,
    /// A connection of HTTP calls.
    Http,
    /// A stream of server-sent events.
    Sse,
    /// Standard input and output.
    Stdio,
}

impl Transport {
    const fn as_str(self) -> &'static str {
        match self {
            Self::WebSocket => "websocket",
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Stdio => "stdio",
        }
    }
}

/// Why a request was rejected before it reached a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The token is missing or wrong.
    Token,
    /// The `Host` header is not allowed.
    Host,
    /// The `Origin` is not allowed.
    Origin,
    /// The client exceeds its call rate.
    Rate,
    /// It is too large.
    Size,
    /// There are too many connections.
    Connections,
    /// It is not a valid request.
    Malformed,
}

impl Refusal {
    /// The name in the label and in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Host => "host",
            Self::Origin => "origin",
            Self::Rate => "rate",
            Self::Size => "size",
            Self::Connections => "connections",
            Self::Malformed => "malformed",
        }
    }
}

/// Increments a gauge, and decrements it on drop.
#[derive(Debug)]
pub struct GaugeGuard {
    gauge: Gauge,
}

impl GaugeGuard {
    fn new(gauge: Gauge) -> Self {
        gauge.inc();
        Self { gauge }
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.gauge.dec();
    }
}

#[derive(Debug)]
pub(super) struct ApiMetrics {
    calls: Family<ByMethodAndOutcome, Counter>,
    seconds: Family<ByMethod, Histogram>,
    refused: Family<ByReason, Counter>,
    clients: Family<ByTransport, Gauge>,
    subscribers: Gauge,
}

impl ApiMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            calls: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(CALL_SECONDS)),
            refused: Family::default(),
            clients: Family::default(),
            subscribers: Gauge::default(),
        };
        let Self { calls, seconds, refused, clients, subscribers } = &metrics;
        registry.register(
            "od_api_calls",
            "Calls of the API by outcome: `ok` or the error kind",
            calls.clone(),
        );
        registry.register("od_api_call_seconds", "Duration of calls", seconds.clone());
        registry.register(
            "od_api_refused",
            "Requests rejected before they reached a method",
            refused.clone(),
        );
        registry.register("od_clients", "Connected clients", clients.clone());
        registry.register("od_subscribers", "Subscriptions to runs", subscribers.clone());
        metrics
    }

    pub(super) fn called(&self, method: &'static str, outcome: &str, took: Duration) {
        let outcome = if outcome == "ok" { "ok" } else { labels::error_kind(outcome) };
        self.calls.get_or_create(&ByMethodAndOutcome { method, outcome }).inc();
        self.seconds.get_or_create(&ByMethod { method }).observe(took.as_secs_f64());
    }

    pub(super) fn refused(&self, refusal: Refusal) {
        self.refused.get_or_create(&ByReason { reason: refusal.as_str() }).inc();
    }

    pub(super) fn client(&self, transport: Transport) -> GaugeGuard {
        GaugeGuard::new(self.clients.get_or_create_owned(&ByTransport { face: transport.as_str() }))
    }

    pub(super) fn subscriber(&self) -> GaugeGuard {
        GaugeGuard::new(self.subscribers.clone())
    }
}
