//! Codex as an OD adapter: how it is found, started, read and stopped.
//!
//! Reading order: [`manifest`] (capabilities), [`detect`] (login and credential), [`mode`] (app server
//! or `codex exec`), [`invocation`] (command line), [`requests`] (requests to the app server),
//! [`native`] (line types), [`events`] (mapping of the app server), [`exec_events`] (mapping of
//! `codex exec --json`), [`sessions`] (session files on disk).
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
