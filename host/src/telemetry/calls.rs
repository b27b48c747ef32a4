//! Calls of the API: a span for whatever is logged inside, one line at level debug, and the count. A call whose client
//! went away before it was answered counts as `request_cancelled`.

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
    answered: bool,
}

impl Telemetry {
    /// A call begins. Its parameters are nobody's business, nor is a name that is no method's.
    pub(crate) fn call(&self, client: &str, method: &str) -> ApiCall {
        let method = method_label(method);
        let span = tracing::debug_span!("call", method, client);
        ApiCall {
            metrics: self.metrics.clone(),
            method,
            begun: Instant::now(),
            span,
            answered: false,
        }
    }
}

impl ApiCall {
    /// What is logged inside belongs to it.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// It was answered.
    pub(crate) fn ended<T>(mut self, answer: &Result<T, ErrorObject>) {
        let kind = answer.as_ref().err().map(ErrorObject::kind);
        self.answered = true;
        self.count("answered", kind.as_ref().map_or("ok", ErrorKind::as_str));
    }

    fn count(&self, how: &str, outcome: &str) {
        let took = self.begun.elapsed();
        self.metrics.called(self.method, outcome, took);
        let _inside = self.span.enter();
        tracing::debug!(outcome, duration_ms = took.as_secs_f64() * 1000.0, "call {how}");
    }
}

impl Drop for ApiCall {
    fn drop(&mut self) {
        if !self.answered {
            self.count("given up", ErrorKind::RequestCancelled.as_str());
        }
    }
}
