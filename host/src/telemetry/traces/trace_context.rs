//! The trace a run belongs to: the client's (W3C `traceparent`), or a new one with the run's id.

use std::collections::HashMap;

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The trace of one run. Ids are derived from the run's id, so the same journal gives the same spans.
#[derive(Debug)]
pub(super) struct RunContext {
    run_id: String,
    trace_id: TraceId,
    trace_state: TraceState,
    /// The client's span.
    pub(super) parent: Option<SpanId>,
    span_count: u64,
}

impl RunContext {
    /// `None` when the client's trace is not sampled.
    pub(super) fn new(run_id: &str, traceparent: Option<&str>) -> Option<Self> {
        let parent = traceparent.map(parse_traceparent).filter(SpanContext::is_valid);
        if parent.as_ref().is_some_and(|parent| !parent.is_sampled()) {
            return None;
        }
        Some(Self {
            run_id: run_id.to_owned(),
            trace_id: parent.as_ref().map_or_else(|| trace_id_of(run_id), SpanContext::trace_id),
            trace_state: parent
                .as_ref()
                .map(|parent| parent.trace_state().clone())
                .unwrap_or_default(),
            parent: parent.as_ref().map(SpanContext::span_id),
            span_count: 0,
        })
    }

    pub(super) fn next_span_id(&mut self) -> SpanId {
        self.span_count += 1;
        let mut hash = Sha256::new();
        hash.update(self.run_id.as_bytes());
        hash.update(self.span_count.to_be_bytes());
        let digest = hash.finalize();
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&digest[..8]);
        SpanId::from_bytes(bytes)
    }

    /// The context of a span of this run.
    pub(super) fn span_context(&self, span_id: SpanId) -> SpanContext {
        let state = self.trace_state.clone();
        SpanContext::new(self.trace_id, span_id, TraceFlags::SAMPLED, false, state)
    }
}

fn parse_traceparent(traceparent: &str) -> SpanContext {
    let carrier = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    let context = TraceContextPropagator::new().extract(&carrier);
    context.span().span_context().clone()
}

/// A run id is usually a UUID, which has the length of a trace id.
fn trace_id_of(run_id: &str) -> TraceId {
    if let Ok(uuid) = Uuid::try_parse(run_id) {
        return TraceId::from_bytes(uuid.into_bytes());
    }
    let digest = Sha256::digest(run_id.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    TraceId::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "019a8c6e-0000-7000-8000-000000000001";

    #[test]
    fn run_without_traceparent_uses_its_own_id() {
        let mut context = RunContext::new(RUN, None).expect("a trace");
        let span = context.next_span_id();
        assert_eq!(format!("{:?}", context.span_context(span).trace_id()), RUN.replace('-', ""));
        assert_ne!(span, context.next_span_id());
        assert_eq!(context.parent, None);
    }

    #[test]
    fn traceparent_sets_trace_and_parent() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let mut context = RunContext::new(RUN, Some(parent)).expect("a trace");
        let span = context.next_span_id();
        assert_eq!(
            format!("{:?}", context.span_context(span).trace_id()),
            "0af7651916cd43dd8448eb211c80319c"
        );
        assert_eq!(context.parent, SpanId::from_hex("b7ad6b7169203331").ok());
    }

    #[test]
    fn unsampled_or_invalid_traceparent_is_respected() {
        let unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
        assert!(RunContext::new(RUN, Some(unsampled)).is_none());
        let invalid = RunContext::new("mine", Some("hello")).expect("a trace");
        assert_eq!(invalid.parent, None);
    }
}
