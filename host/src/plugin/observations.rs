//! What the reading thread observed of an adapter: its last activity and its protocol violations.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use od_protocol::MAX_LINE_BYTES;

use crate::telemetry::metrics::AdapterCounters;

/// Shared between the reading thread and the run.
#[derive(Debug)]
pub(crate) struct Observations {
    started: Instant,
    last_activity_ms: AtomicU64,
    violations: AtomicU64,
    first_violation: OnceLock<String>,
    fatal_violation: OnceLock<FatalViolation>,
    counters: AdapterCounters,
}

/// A protocol violation that ends the run.
#[derive(Debug)]
pub(crate) struct FatalViolation {
    /// For the log, which must not contain the adapter's output.
    pub(super) name: &'static str,
    /// For the run's error.
    pub(super) what: String,
    pub(super) hint: &'static str,
}

impl FatalViolation {
    /// An event that cannot be parsed or has the wrong number.
    pub(super) fn of_stream(what: String) -> Self {
        Self {
            name: "an event that violates the stream rules",
            what,
            hint: "try again; if it happens again, upgrade the adapter or report it to its author: `conformance run PATH-OF-THE-ADAPTER` \
                   shows it",
        }
    }

    /// A line that is meant to be an event but is not one.
    pub(super) fn unreadable(reason: &str) -> Self {
        Self::of_stream(format!("its event cannot be parsed: {reason}"))
    }

    /// A line over the limit, whose content is lost.
    pub(super) fn long_line(length: usize) -> Self {
        Self {
            name: "a line over the limit",
            what: format!(
                "it wrote a line of at least {length} bytes, the limit is {MAX_LINE_BYTES}"
            ),
            hint: "try again; if it happens again, report it to the adapter's author: an adapter must shorten long values and set \
                   `truncated`",
        }
    }
}

impl Observations {
    pub(crate) fn new(counters: AdapterCounters) -> Self {
        Self {
            started: Instant::now(),
            last_activity_ms: AtomicU64::new(0),
            violations: AtomicU64::new(0),
            first_violation: OnceLock::new(),
            fatal_violation: OnceLock::new(),
            counters,
        }
    }

    /// The time since the adapter's last output.
    pub(crate) fn silence(&self) -> Duration {
        let last_activity = Duration::from_millis(self.last_activity_ms.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last_activity)
    }

    /// The number of protocol violations, and the first one.
    pub(crate) fn violations(&self) -> Option<(u64, &str)> {
        match self.violations.load(Ordering::Relaxed) {
            0 => None,
            count => Some((count, self.first_violation.get().map_or("", String::as_str))),
        }
    }

    /// The fatal protocol violation, if there was one.
    pub(crate) fn fatal_violation(&self) -> Option<&FatalViolation> {
        self.fatal_violation.get()
    }

    pub(crate) fn counters(&self) -> &AdapterCounters {
        &self.counters
    }

    pub(super) fn mark_activity(&self) {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_activity_ms.store(elapsed, Ordering::Relaxed);
    }

    pub(super) fn violation(&self, what: &str, line: &[u8]) {
        self.counters.violation();
        if self.violations.fetch_add(1, Ordering::Relaxed) == 0 {
            let sample = String::from_utf8_lossy(&line[..line.len().min(120)]).into_owned();
            // The line may contain secrets, so it goes into the run's error but not into the log.
            tracing::warn!(
                agent = self.counters.agent(),
                what,
                "an adapter violates the protocol; further violations are only counted"
            );
            self.first_violation.get_or_init(|| format!("{what}: {sample}"));
        }
    }

    /// Stores the first fatal violation; returns whether this was the first.
    pub(super) fn set_fatal_violation(&self, violation: FatalViolation) -> bool {
        self.fatal_violation.set(violation).is_ok()
    }
}
