//! GitHub Copilot CLI as an OD adapter: how it is found, started, read and stopped.
//!
//! Reading order: [`manifest`] (what it can do), [`detect`] (who pays), [`mode`] (which of its two
//! ways a run takes), [`invocation`] (how it is started), [`native`] (its words), [`events`] (what
//! they mean), [`live`] (the same over ACP), [`failure`] (what went wrong, either way),
//! [`sessions`] (what it keeps on disk).
#![deny(clippy::print_stdout)]

mod adapter;
pub mod detect;
pub mod events;
pub mod failure;
pub mod invocation;
pub mod live;
pub mod manifest;
pub mod mode;
pub mod models;
pub mod native;
pub mod options;
pub mod sessions;
pub mod words;

pub use adapter::Copilot;
