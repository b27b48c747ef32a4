//! What each adapter finds on this machine: all at once, remembered for a day or until something it
//! stands on has changed.
//!
//! Reading order for a newcomer: [`Agent`], [`standing`] (what it needs), `live` (who looks, and when),
//! `cache` and `fingerprint` (what is remembered, and for how long).

pub(crate) mod cache;
mod fingerprint;
pub(crate) mod live;
pub mod standing;

use std::path::PathBuf;

use od_protocol::{AuthState, DetectAdapterResult, ErrorObject, Manifest};

use crate::error::HostError;
pub use standing::Standing;

/// Whether a remembered result is good enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refresh {
    /// Yes, while nothing it stands on has changed.
    #[default]
    WhenStale,
    /// No: look again.
    Always,
}

/// One agent: an adapter and what it found.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The adapter's id.
    pub id: String,
    /// The adapter's executable.
    pub adapter_path: PathBuf,
    /// What the adapter says about itself.
    pub manifest: Manifest,
    /// What it found at the last look, or why it could not tell.
    pub detected: Result<DetectAdapterResult, HostError>,
    /// What it found before, when it could not tell at the last look.
    pub before: Option<DetectAdapterResult>,
    /// When it found that, in milliseconds since 1970; `None` means never.
    pub detected_at: Option<u64>,
    /// What is shown here may no longer be so.
    pub stale: bool,
}

impl Agent {
    /// The agent CLI is there and not too old.
    pub fn is_installed(&self) -> bool {
        self.found().is_some_and(|found| found.installed && found.meets_min != Some(false))
    }

    /// A run would be let in, as far as can be told.
    pub fn may_run(&self) -> bool {
        let let_in = |state: AuthState| matches!(state, AuthState::Ok | AuthState::Unknown);
        self.is_installed() && self.detected.as_ref().is_ok_and(|found| let_in(found.auth.state))
    }

    /// The last thing it found, even when the last look failed.
    pub fn found(&self) -> Option<&DetectAdapterResult> {
        self.detected.as_ref().ok().or(self.before.as_ref())
    }
}

/// All agents, as far as they are known right now.
#[derive(Debug, Clone, Default)]
pub struct AgentList {
    /// In the order of their ids.
    pub agents: Vec<Agent>,
    /// Some are being looked at at this moment.
    pub refreshing: bool,
}

/// What an adapter answered, or why it did not.
type Detection = Result<DetectAdapterResult, ErrorObject>;
