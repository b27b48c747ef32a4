//! A span under construction, and what all spans share.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use od_protocol::Usage;
use opentelemetry::trace::{Event, SpanId, SpanKind, Status};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

use super::attributes;
use super::trace_context::RunContext;

/// The limit of one text attribute.
const MAX_TEXT_BYTES: usize = 32 * 1024;

/// A span that is not finished.
#[derive(Debug)]
pub(super) struct SpanDraft {
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    /// In milliseconds since 1970.
    pub(super) started: u64,
    pub(super) ended: u64,
    attributes: Vec<KeyValue>,
    pub(super) events: Vec<Event>,
    has_failed: bool,
}

impl SpanDraft {
    /// A span of an operation of the GenAI conventions; its name is the operation and its subject.
    pub(super) fn new(id: SpanId, operation: &'static str, subject: &str, started: u64) -> Self {
        let mut draft = Self {
            id,
            parent: None,
            name: format!("{operation} {subject}").trim_end().to_owned(),
            kind: SpanKind::Internal,
            started,
            ended: started,
            attributes: Vec::new(),
            events: Vec::new(),
            has_failed: false,
        };
        draft.set(attributes::OPERATION, operation);
        draft
    }

    pub(super) fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.attributes.push(KeyValue::new(name, value));
    }

    /// Sets an attribute that may be absent.
    pub(super) fn set_some(&mut self, name: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.set(name, value.to_owned());
        }
    }

    /// Sets a text, shortened to the limit.
    pub(super) fn set_text(&mut self, name: &'static str, text: &str) {
        self.set(name, truncate(text).to_owned());
    }

    /// Sets the tokens. The conventions count cached tokens as input, the protocol does not.
    pub(super) fn set_usage(&mut self, usage: &Usage) {
        let input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
        self.set(attributes::INPUT_TOKENS, number(input));
        self.set(attributes::OUTPUT_TOKENS, number(usage.output_tokens));
        let parts = [
            (attributes::CACHE_READ_TOKENS, usage.cache_read_tokens),
            (attributes::CACHE_WRITE_TOKENS, usage.cache_write_tokens),
            (attributes::REASONING_TOKENS, usage.reasoning_tokens.unwrap_or_default()),
        ];
        for (name, tokens) in parts.into_iter().filter(|(_, tokens)| *tokens > 0) {
            self.set(name, number(tokens));
        }
    }

    /// Why the model stopped.
    pub(super) fn set_finish(&mut self, reason: &str) {
        let reasons = vec![StringValue::from(reason.to_owned())];
        self.set(attributes::FINISH_REASONS, Value::Array(Array::String(reasons)));
    }

    pub(super) fn fail(&mut self, error_type: &str) {
        self.set(attributes::ERROR_TYPE, error_type.to_owned());
        self.has_failed = true;
    }

    /// Converts the draft to the exporter's type.
    pub(super) fn finish(self, context: &RunContext, scope: &InstrumentationScope) -> SpanData {
        let is_remote = self.parent.is_some() && self.parent == context.parent;
        let mut events = SpanEvents::default();
        events.events = self.events;
        SpanData {
            span_context: context.span_context(self.id),
            parent_span_id: self.parent.unwrap_or(SpanId::INVALID),
            parent_span_is_remote: is_remote,
            span_kind: self.kind,
            name: self.name.into(),
            start_time: time(self.started),
            end_time: time(self.ended.max(self.started)),
            attributes: self.attributes,
            dropped_attributes_count: 0,
            events,
            links: SpanLinks::default(),
            status: if self.has_failed { Status::error("") } else { Status::Unset },
            instrumentation_scope: scope.clone(),
        }
    }
}

/// The library that produced the spans.
pub(super) fn scope() -> InstrumentationScope {
    InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
        .with_version(env!("CARGO_PKG_VERSION"))
        .build()
}

/// The service; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` are honoured.
pub(super) fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let builder = Resource::builder().with_attribute(version);
    let is_named = |name: &str| {
        std::env::var(name)
            .is_ok_and(|value| name.ends_with("NAME") || value.contains("service.name"))
    };
    match is_named("OTEL_SERVICE_NAME") || is_named("OTEL_RESOURCE_ATTRIBUTES") {
        true => builder.build(),
        false => builder.with_service_name(env!("CARGO_PKG_NAME")).build(),
    }
}

/// OpenTelemetry has signed numbers only.
pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The beginning of the text, up to the limit.
fn truncate(text: &str) -> &str {
    let end = (0..=MAX_TEXT_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// Converts milliseconds since 1970.
pub(super) fn time(ts: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(ts)
}
