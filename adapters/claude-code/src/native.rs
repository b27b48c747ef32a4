//! The words of `claude --output-format stream-json` that are Claude Code's own; those it shares
//! with others are in [`od_sdk::stream_json`]. Nothing here decides anything: fields that are not named are
//! ignored, missing ones have a default.

mod lifecycle;
mod report;
mod result;
mod system;

pub use lifecycle::*;
pub use report::*;
pub use result::*;
pub use system::*;
