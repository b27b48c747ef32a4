//! The suite's own client of one plugin process. It shares no code with the host: the judge does
//! not run on the defendant's plumbing.
//!
//! `wire` moves bytes, `channel` is a process with its pipes, `inbox` sorts what comes, `calls` asks and waits, `runs` starts runs and
//! waits for events, `record` is what a run said.

mod calls;
mod capture;
mod channel;
mod inbox;
mod launch;
mod record;
mod runs;
mod wire;

pub use calls::Answer;
pub use capture::{Captured, run_to_end};
pub(crate) use channel::{Channel, Sorter};
pub use inbox::{Inbox, Line};
pub use launch::{Launch, Plugin, PluginPath, base_env};
pub use record::{Received, RunRecord};
pub(crate) use wire::Incoming;
