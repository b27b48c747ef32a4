//! The state of an input line.

use serde::Deserialize;

/// A line of type `command_lifecycle`, in versions after 2.1.197: the state of an input line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LifecycleLine {
    /// The id that the adapter gave the line.
    pub command_uuid: String,
    /// `queued`, `started`, `completed`.
    pub state: String,
}
