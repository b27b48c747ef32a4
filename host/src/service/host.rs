//! `host/*`: who answers, and how busy it is.

use od_protocol::ProtocolRange;
use od_protocol::api::{API_MAJOR, GetHostInfoParams, HostLimits, HostStatus};

use super::Service;
use crate::error::HostError;

impl Service {
    /// `host/info`.
    ///
    /// # Errors
    /// None so far.
    pub async fn host_info(&self, _params: GetHostInfoParams) -> Result<HostStatus, HostError> {
        let host = self.host();
        Ok(HostStatus {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            api: API_MAJOR,
            protocol: ProtocolRange::current(),
            pid: std::process::id(),
            started_at: host.owner().started_at,
            home: host.home().root().display().to_string(),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
            running: 0,
            queued: 0,
            draining: false,
            roots: Vec::new(),
            limits: HostLimits::default(),
        })
    }
}
