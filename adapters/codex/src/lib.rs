//! Codex as an OD adapter: how it is found, started, read and stopped.
//!
//! Reading order: [`manifest`] (what it can do), [`detect`] (who pays), [`mode`] (app server or
//! one-shot), [`invocation`] (how it is started), [`requests`] (what we say to it), [`native`] (its
//! words), [`events`] and [`exec_events`] (what they mean).
#![deny(clippy::print_stdout)]

mod adapter;
pub mod detect;
pub mod events;
pub mod exec_events;
pub mod invocation;
pub mod manifest;
pub mod mode;
pub mod models;
pub mod native;
pub mod options;
pub mod requests;
pub mod sessions;

pub use adapter::Codex;
