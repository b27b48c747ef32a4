//! `host/info` and the metrics.

use od_protocol::ProtocolRange;
use od_protocol::api::{API_MAJOR, GetHostInfoParams, HostLimits, HostStatus};

use super::{Lifecycle, Service};
use crate::error::HostError;
use crate::journal::RunStatus;
use crate::run::RunHandle;

impl Service {
    /// All metrics in the format of Prometheus.
    pub async fn metrics_text(&self) -> String {
        let host = self.host().clone();
        // Blocks: it measures the journals on disk.
        tokio::task::spawn_blocking(move || host.metrics_text()).await.unwrap_or_default()
    }

    /// `host/info`.
    ///
    /// # Errors
    /// Never.
    pub async fn host_info(&self, _params: GetHostInfoParams) -> Result<HostStatus, HostError> {
        let (host, options) = (self.host(), self.options());
        let states: Vec<RunStatus> = host.live_runs().iter().map(RunHandle::status).collect();
        let count = |wanted| {
            let counted = states.iter().filter(|status| **status == wanted).count();
            u32::try_from(counted).unwrap_or(u32::MAX)
        };
        let roots = options.roots.folders().iter();
        let limits = &host.settings().limits;
        Ok(HostStatus {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            api: API_MAJOR,
            protocol: ProtocolRange::current(),
            pid: std::process::id(),
            started_at: host.context().owner().started_at,
            home: host.home().root().display().to_string(),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
            running: count(RunStatus::Running),
            queued: count(RunStatus::Queued),
            draining: *self.lifecycle().borrow() != Lifecycle::Serving,
            roots: roots.map(|folder| folder.display().to_string()).collect(),
            limits: HostLimits {
                max_runs: limits.max_runs.get(),
                max_runs_per_agent: limits.max_runs_per_agent.get(),
                max_queued: limits.max_queued,
                max_request_bytes: options.max_request_bytes,
                max_calls_per_second: options.max_calls_per_second,
            },
        })
    }
}
