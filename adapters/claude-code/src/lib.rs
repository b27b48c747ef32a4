//! Claude Code as an OD adapter: how it is found, started, read and stopped.
//!
//! Reading order: [`manifest`] (what it can do), [`detect`] (who pays), [`invocation`] (how it is
//! started), [`native`] (its words), [`events`] (what they mean), [`control`] (what we say to it).
#![deny(clippy::print_stdout)]

mod adapter;
pub mod control;
pub mod detect;
pub mod events;
pub mod invocation;
pub mod manifest;
pub mod models;
pub mod native;
pub mod options;
pub mod sessions;

pub use adapter::ClaudeCode;
