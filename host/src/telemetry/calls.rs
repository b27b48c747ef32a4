//! Calls of the API: a span for whatever is logged inside, one line at level debug, and the count.

use std::time::Instant;

use od_protocol::{ErrorKind, ErrorObject};
use tracing::Span;

use super::Telemetry;
use super::metrics::{Metrics, method_label};

/// A call that has begun.
#[derive(Debug)]
pub(crate) struct ApiCall {
    metrics: Metrics,
    method: &'static str,
    begun: Instant,
    span: Span,
}

impl Telemetry {
    /// A call begins. Its parameters are nobody's business, nor is a name that is no method's.
    pub(crate) fn call(&self, client: &str, method: &str) -> ApiCall {
        let method = method_label(method);
        let span = tracing::debug_span!("call", method, client);
        ApiCall { metrics: self.metrics.clone(), method, begun: Instant::now(), span }
    }
}

impl ApiCall {
    /// What is logged inside belongs to it.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// It was answered.
    pub(crate) fn ended<T>(&self, answer: &Result<T, ErrorObject>) {
        let kind = answer.as_ref().err().map(ErrorObject::kind);
        let outcome = kind.as_ref().map_or("ok", ErrorKind::as_str);
        let took = self.begun.elapsed();
        self.metrics.called(self.method, outcome, took);
        let _inside = self.span.enter();
        tracing::debug!(outcome, duration_ms = took.as_secs_f64() * 1000.0, "call answered");
    }
}
