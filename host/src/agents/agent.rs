//! One agent: an adapter and what it detected.

use std::path::PathBuf;

use od_protocol::adapter::DetectAdapterResult;
use od_protocol::{AuthState, ErrorObject, Manifest};

use crate::error::HostError;

/// Whether a cached result is good enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refresh {
    /// Yes, while nothing it depends on has changed.
    #[default]
    WhenStale,
    /// No: run the detection again.
    Always,
}

/// One agent: an adapter and what it detected.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The adapter's id.
    pub id: String,
    /// The adapter's executable.
    pub adapter_path: PathBuf,
    /// The adapter's manifest.
    pub manifest: Manifest,
    /// The result of the last detection, or why it failed.
    pub detected: Result<DetectAdapterResult, HostError>,
    /// The last result before a failed detection.
    pub before: Option<DetectAdapterResult>,
    /// When the adapter last detected something, in milliseconds since 1970; `None` means never.
    pub detected_at: Option<u64>,
    /// The result may be out of date.
    pub stale: bool,
}

impl Agent {
    /// The agent CLI is installed and not too old.
    pub fn is_installed(&self) -> bool {
        self.found().is_some_and(|found| found.installed && found.meets_min != Some(false))
    }

    /// The agent CLI is installed and, as far as the adapter can detect, logged in.
    pub fn may_run(&self) -> bool {
        let may_work = |state: AuthState| matches!(state, AuthState::Ok | AuthState::Unknown);
        self.is_installed() && self.detected.as_ref().is_ok_and(|found| may_work(found.auth.state))
    }

    /// The last successful result, even when a later detection failed.
    pub fn found(&self) -> Option<&DetectAdapterResult> {
        self.detected.as_ref().ok().or(self.before.as_ref())
    }
}

/// All agents, as far as they are known now.
#[derive(Debug, Clone, Default)]
pub struct AgentList {
    /// Sorted by id.
    pub agents: Vec<Agent>,
    /// Some detections are still running.
    pub refreshing: bool,
}

/// What an adapter answered to `adapter/detect`, or why it did not.
pub(super) type Detection = Result<DetectAdapterResult, ErrorObject>;
