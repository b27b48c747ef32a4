//! What became of a line of ours.

use serde::Deserialize;

/// A line of type `command_lifecycle`, in versions after 2.1.197: what became of a line of ours.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LifecycleLine {
    /// The id we gave the line.
    pub command_uuid: String,
    /// `queued`, `started`, `completed`.
    pub state: String,
}
