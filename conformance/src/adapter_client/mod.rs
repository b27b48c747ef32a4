//! The suite's own client of one adapter process. It shares no code with the host, so that a bug of
//! the host cannot hide the same bug of an adapter.
//!
//! `wire` moves bytes, `connection` is a process with its pipes, `inbox` sorts received lines, `calls`
//! sends requests, `runs` starts runs and waits for events, `record` contains the events of a run.

mod calls;
mod capture;
mod connection;
mod inbox;
mod launch;
mod record;
mod runs;
mod wire;

pub use calls::Answer;
pub use capture::{CapturedOutput, run_to_end};
pub use connection::{Connection, Sorter, StderrChecker};
pub use inbox::{Inbox, Line};
pub use launch::{AdapterClient, AdapterPath, Launch, base_env};
pub use record::{Received, RunRecord};
