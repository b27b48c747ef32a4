//! The size of a terminal window.

use serde::{Deserialize, Serialize};

/// The size of a terminal window, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowSize {
    /// Characters per line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
}
