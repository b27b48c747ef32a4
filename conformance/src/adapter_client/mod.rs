//! The suite's own client of one adapter process. It shares no code with the host, so that a bug of
//! the host cannot hide the same bug of an adapter.
//!
//! `wire` moves bytes, `channel` is a process with its pipes, `inbox` sorts received lines, `calls`
//! sends requests, `runs` starts runs and waits for events, `record` contains the events of a run.

mod calls;
mod capture;
mod channel;
mod inbox;
mod launch;
mod record;
mod runs;
mod wire;

pub use calls::Answer;
pub use capture::{CapturedOutput, run_to_end};
pub(crate) use channel::{Channel, Sorter};
pub use inbox::{Inbox, Line};
pub use launch::{AdapterClient, AdapterPath, Launch, base_env};
pub use record::{Received, RunRecord};
pub(crate) use wire::Incoming;
