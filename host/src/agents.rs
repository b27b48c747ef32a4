//! What each adapter finds on this machine: all at once, remembered for a day.

use std::path::PathBuf;

use od_protocol::{DetectAdapterResult, Manifest};

use crate::error::HostError;

/// Whether a remembered result is good enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// What it found, or why it could not tell.
    pub detected: Result<DetectAdapterResult, HostError>,
}
