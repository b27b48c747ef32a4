//! A span while it is put together, and the few things all spans share.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use od_protocol::Usage;
use opentelemetry::trace::{Event, SpanId, SpanKind, Status};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

use super::context::RunContext;
use super::words;

/// The longest text in one attribute, in bytes.
const LONGEST_TEXT: usize = 32 * 1024;

/// A span that is not sent yet.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    /// In milliseconds since 1970.
    pub(super) started: u64,
    pub(super) ended: u64,
    attributes: Vec<KeyValue>,
    pub(super) events: Vec<Event>,
    failed: bool,
}

impl Draft {
    /// A span of an operation of the GenAI conventions; its name ends with the thing it is about.
    pub(super) fn new(id: SpanId, operation: &'static str, about: &str, started: u64) -> Self {
        let mut draft = Self {
            id,
            parent: None,
            name: format!("{operation} {about}").trim_end().to_owned(),
            kind: SpanKind::Internal,
            started,
            ended: started,
            attributes: Vec::new(),
            events: Vec::new(),
            failed: false,
        };
        draft.set(words::OPERATION, operation);
        draft
    }

    /// Sets an attribute.
    pub(super) fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.attributes.push(KeyValue::new(name, value));
    }

    /// Sets an attribute when there is something.
    pub(super) fn set_some(&mut self, name: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.set(name, value.to_owned());
        }
    }

    /// Sets a text that may be long.
    pub(super) fn set_text(&mut self, name: &'static str, text: &str) {
        self.set(name, shortened(text).to_owned());
    }

    /// Sets the tokens. The conventions count cached tokens as input, the protocol does not.
    pub(super) fn set_usage(&mut self, usage: &Usage) {
        let input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
        self.set(words::INPUT_TOKENS, number(input));
        self.set(words::OUTPUT_TOKENS, number(usage.output_tokens));
        let parts = [
            (words::CACHE_READ_TOKENS, usage.cache_read_tokens),
            (words::CACHE_WRITE_TOKENS, usage.cache_write_tokens),
            (words::REASONING_TOKENS, usage.reasoning_tokens.unwrap_or_default()),
        ];
        for (name, tokens) in parts.into_iter().filter(|(_, tokens)| *tokens > 0) {
            self.set(name, number(tokens));
        }
    }

    /// Why the model stopped.
    pub(super) fn set_finish(&mut self, reason: &str) {
        let reasons = vec![StringValue::from(reason.to_owned())];
        self.set(words::FINISH_REASONS, Value::Array(Array::String(reasons)));
    }

    /// It went wrong in this way.
    pub(super) fn fail(&mut self, error_type: &str) {
        self.set(words::ERROR_TYPE, error_type.to_owned());
        self.failed = true;
    }

    /// As the exporter takes it.
    pub(super) fn finish(self, context: &RunContext, scope: &InstrumentationScope) -> SpanData {
        let remote = self.parent.is_some() && self.parent == context.parent;
        let mut events = SpanEvents::default();
        events.events = self.events;
        SpanData {
            span_context: context.of(self.id),
            parent_span_id: self.parent.unwrap_or(SpanId::INVALID),
            parent_span_is_remote: remote,
            span_kind: self.kind,
            name: self.name.into(),
            start_time: time(self.started),
            end_time: time(self.ended.max(self.started)),
            attributes: self.attributes,
            dropped_attributes_count: 0,
            events,
            links: SpanLinks::default(),
            status: if self.failed { Status::error("") } else { Status::Unset },
            instrumentation_scope: scope.clone(),
        }
    }
}

/// Who says all this.
pub(super) fn scope() -> InstrumentationScope {
    InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
        .with_version(env!("CARGO_PKG_VERSION"))
        .build()
}

/// Which service it is; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` are honoured.
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

/// OpenTelemetry has no unsigned numbers.
pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The beginning of a text that is too long.
fn shortened(text: &str) -> &str {
    let end = (0..=LONGEST_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// Milliseconds since 1970 as the exporter takes them.
pub(super) fn time(ts: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(ts)
}
