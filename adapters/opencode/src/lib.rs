//! OpenCode as an OD adapter, driven by its commands: how it is found, started, read and stopped.
//!
//! Reading order: [`manifest`] (what it can do), [`mode`] (which of its two ways a run takes),
//! [`invocation`] (how it is started), [`native`] and [`events`] (the lines of `run`), [`dialect`]
//! (what is its own in ACP), [`retries`] (what it says only in its log). Parts, login, rules and
//! errors are the wire's: `od_sdk::parts`.
#![deny(clippy::print_stdout)]

mod adapter;
pub mod dialect;
pub mod events;
pub mod invocation;
pub mod manifest;
pub mod mode;
pub mod native;
pub mod options;
pub mod retries;

pub use adapter::OpenCode;
