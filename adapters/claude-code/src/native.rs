//! Line types of `claude --output-format stream-json` that only Claude Code has; shared ones are in
//! [`od_sdk::stream_json`]. Unknown fields are ignored, missing ones have a default.

mod file_report;
mod lifecycle;
mod result;
mod system;

pub use file_report::*;
pub use lifecycle::*;
pub use result::*;
pub use system::*;
