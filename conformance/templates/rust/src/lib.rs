//! My Agent as an OD adapter.
//!
//! Reading order: [`manifest`] (what it can do), [`invocation`] (how the CLI is started),
//! [`native`] (the CLI's own messages), [`events`] (the protocol events they become).
#![deny(clippy::print_stdout)]

mod adapter;
pub mod events;
pub mod invocation;
pub mod manifest;
pub mod native;

pub use adapter::MyAgentAdapter;
