//! Metrics that are read when the text is requested.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use super::labels::ByVersion;
use od_os::process;

/// The current state of the host.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Snapshot {
    /// Running runs of this process.
    pub(crate) running: usize,
    /// Queued runs of this process.
    pub(crate) queued: usize,
    /// Bytes of all journals on disk.
    pub(crate) journal_bytes: u64,
}

#[derive(Debug)]
pub(super) struct StateMetrics {
    running: Gauge,
    queued: Gauge,
    journal_bytes: Gauge,
    resident: Gauge,
    open_files: Gauge,
}

impl StateMetrics {
    pub(super) fn register(registry: &mut Registry, started_at: u64) -> Self {
        let metrics = Self {
            running: Gauge::default(),
            queued: Gauge::default(),
            journal_bytes: Gauge::default(),
            resident: Gauge::default(),
            open_files: Gauge::default(),
        };
        let Self { running, queued, journal_bytes, resident, open_files } = &metrics;
        registry.register("od_runs_running", "Running runs", running.clone());
        registry.register("od_runs_queued", "Queued runs", queued.clone());
        registry.register(
            "od_journal_bytes",
            "Bytes of all journals on disk",
            journal_bytes.clone(),
        );
        // On a system without this information the metric is absent instead of zero.
        if process::resident_bytes().is_some() {
            registry.register(
                "process_resident_memory_bytes",
                "Memory of the host itself",
                resident.clone(),
            );
        }
        if process::open_files().is_some() {
            registry.register("process_open_fds", "Open files of the host", open_files.clone());
        }
        let start: Gauge<f64, AtomicU64> = Gauge::default();
        start.set(std::time::Duration::from_millis(started_at).as_secs_f64());
        registry.register("process_start_time_seconds", "When the host started", start);
        let build = Info::new(ByVersion { version: env!("CARGO_PKG_VERSION") });
        registry.register("od_build", "Version of the host", build);
        metrics
    }

    pub(super) fn set(&self, snapshot: &Snapshot) {
        self.running.set(count(snapshot.running as u64));
        self.queued.set(count(snapshot.queued as u64));
        self.journal_bytes.set(count(snapshot.journal_bytes));
        self.resident.set(count(process::resident_bytes().unwrap_or_default()));
        self.open_files.set(count(process::open_files().unwrap_or_default()));
    }
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
