//! Calls of the API: a logging span, one line at level debug, and the metrics. A call whose client disconnects before
//! the response counts as `request_cancelled`.

use std::time::Instant;

use od_protocol::{ErrorKind, ErrorObject};
use tracing::Span;

use super::Telemetry;
use super::metrics::{Metrics, method_label};

/// A call in progress.
#[derive(Debug)]
pub(crate) struct ApiCall {
    metrics: Metrics,
    method: &'static str,
    started: Instant,
    span: Span,
    is_answered: bool,
}

impl Telemetry {
    /// Begins a call. Parameters and unknown method names are not logged.
    pub(crate) fn call(&self, client: &str, method: &str) -> ApiCall {
        let method = method_label(method);
        let span = tracing::debug_span!("call", method, client);
        ApiCall {
            metrics: self.metrics.clone(),
            method,
            started: Instant::now(),
            span,
            is_answered: false,
        }
    }
}

impl ApiCall {
    /// The span for everything logged during the call.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Records the response.
    pub(crate) fn finish<T>(mut self, answer: &Result<T, ErrorObject>) {
        let kind = answer.as_ref().err().map(ErrorObject::kind);
        self.is_answered = true;
        self.record("answered", kind.as_ref().map_or("ok", ErrorKind::as_str));
    }

    fn record(&self, how: &str, outcome: &str) {
        let took = self.started.elapsed();
        self.metrics.called(self.method, outcome, took);
        let _inside = self.span.enter();
        tracing::debug!(outcome, duration_ms = took.as_secs_f64() * 1000.0, "call {how}");
    }
}

impl Drop for ApiCall {
    fn drop(&mut self) {
        if !self.is_answered {
            self.record("cancelled", ErrorKind::RequestCancelled.as_str());
        }
    }
}
