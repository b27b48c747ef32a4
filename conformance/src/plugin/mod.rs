//! The suite's own client of one plugin process. It shares no code with the host: the judge does
//! not run on the defendant's plumbing.
//!
//! `wire` moves bytes, `inbox` sorts what comes, `calls` asks and waits, `runs` starts runs and
//! waits for events, `record` is what a run said.

mod calls;
mod capture;
mod inbox;
mod launch;
mod record;
mod runs;
mod wire;

pub use calls::Answer;
pub use capture::{Captured, run_to_end};
pub use inbox::{Inbox, Line};
pub use launch::{Launch, Plugin, PluginPath, base_env};
pub use record::{Received, RunRecord};
