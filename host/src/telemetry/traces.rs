//! Traces for OpenTelemetry: each finished run becomes a tree of spans that follow the GenAI conventions, exported by
//! OTLP over HTTP. Off unless an endpoint is configured.
//!
//! Reading order: `destination` (whether and where to), `exporter` (the thread that reads journals and sends),
//! `spans` (from events to spans, pure), `http_client`, `tls_roots`. Without the feature `otlp` only `disabled` is
//! built.

mod destination;

#[cfg(feature = "otlp")]
mod attributes;
#[cfg(not(feature = "otlp"))]
mod disabled;
#[cfg(feature = "otlp")]
mod exporter;
#[cfg(feature = "otlp")]
mod genai_provider;
#[cfg(feature = "otlp")]
mod http_client;
#[cfg(feature = "otlp")]
mod span_draft;
#[cfg(feature = "otlp")]
mod spans;
#[cfg(feature = "otlp")]
mod tls_roots;
#[cfg(feature = "otlp")]
mod trace_context;

pub(super) use destination::Destination;
#[cfg(not(feature = "otlp"))]
pub(super) use disabled::Traces;
#[cfg(feature = "otlp")]
pub(super) use exporter::Traces;
