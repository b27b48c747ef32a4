//! What the thread that reads an adapter has seen of it: when it was last heard, and how it broke the protocol.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use od_protocol::MAX_LINE_BYTES;

use crate::telemetry::metrics::AdapterMeter;

/// What the thread tells the rest about.
#[derive(Debug)]
pub(crate) struct Observations {
    begun: Instant,
    heard_ms: AtomicU64,
    violations: AtomicU64,
    first_violation: OnceLock<String>,
    breach: OnceLock<Breach>,
    meter: AdapterMeter,
}

/// A break of the protocol that ends the run.
#[derive(Debug)]
pub(crate) struct Breach {
    /// For the log, which must not hold what the adapter wrote.
    pub(super) name: &'static str,
    /// For the run's error.
    pub(super) what: String,
    pub(super) hint: &'static str,
}

impl Breach {
    /// An event that cannot be read or has the wrong number.
    pub(super) fn of_stream(what: String) -> Self {
        Self {
            name: "an event that breaks the stream",
            what,
            hint: "try again; if it happens again, upgrade the adapter or report it to its author: `conformance run PATH-OF-THE-ADAPTER` \
                   shows it",
        }
    }

    /// An event that is none.
    pub(super) fn unreadable(reason: &str) -> Self {
        Self::of_stream(format!("its event cannot be read: {reason}"))
    }

    /// A line over the limit: nobody knows what was in it.
    pub(super) fn long_line(length: usize) -> Self {
        Self {
            name: "a line over the limit",
            what: format!(
                "it wrote a line of at least {length} bytes, the limit is {MAX_LINE_BYTES}"
            ),
            hint: "try again; if it happens again, report it to the adapter's author: what is too long is shortened, with its length in \
                   `truncated`",
        }
    }
}

impl Observations {
    pub(crate) fn new(meter: AdapterMeter) -> Self {
        Self {
            begun: Instant::now(),
            heard_ms: AtomicU64::new(0),
            violations: AtomicU64::new(0),
            first_violation: OnceLock::new(),
            breach: OnceLock::new(),
            meter,
        }
    }

    /// How long the adapter has said nothing.
    pub(crate) fn silence(&self) -> Duration {
        let heard = Duration::from_millis(self.heard_ms.load(Ordering::Relaxed));
        self.begun.elapsed().saturating_sub(heard)
    }

    /// How often the protocol was broken, and how the first time.
    pub(crate) fn violations(&self) -> Option<(u64, &str)> {
        match self.violations.load(Ordering::Relaxed) {
            0 => None,
            count => Some((count, self.first_violation.get().map_or("", String::as_str))),
        }
    }

    /// How the protocol was broken so that the run cannot go on.
    pub(crate) fn breach(&self) -> Option<&Breach> {
        self.breach.get()
    }

    /// Where the process is counted.
    pub(crate) fn meter(&self) -> &AdapterMeter {
        &self.meter
    }

    pub(super) fn heard(&self) {
        let elapsed = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.heard_ms.store(elapsed, Ordering::Relaxed);
    }

    pub(super) fn violation(&self, what: &str, line: &[u8]) {
        self.meter.violation();
        if self.violations.fetch_add(1, Ordering::Relaxed) == 0 {
            let sample = String::from_utf8_lossy(&line[..line.len().min(120)]).into_owned();
            // The line may hold anything, so it goes into the run's error but not into the log.
            tracing::warn!(
                agent = self.meter.agent(),
                what,
                "an adapter breaks the protocol; further breaks are counted"
            );
            self.first_violation.get_or_init(|| format!("{what}: {sample}"));
        }
    }

    /// Keeps the first breach; says whether this was it.
    pub(super) fn keep(&self, breach: Breach) -> bool {
        self.breach.set(breach).is_ok()
    }
}
