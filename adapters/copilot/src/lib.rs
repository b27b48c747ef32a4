//! GitHub Copilot CLI as an OD adapter: how it is found, started, read and stopped.
//!
//! Reading order: [`manifest`] (capabilities), [`detect`] (login and credential), [`mode`] (JSON
//! lines or ACP), [`invocation`] (command line), [`native`] (line types), [`events`] (mapping of
//! JSON lines), [`acp`] (mapping over ACP), [`failure`] (error classification), `sessions`
//! (session files on disk).
#![deny(clippy::print_stdout)]

pub mod acp;
mod adapter;
pub mod detect;
pub mod events;
pub mod failure;
pub mod invocation;
pub mod manifest;
pub mod mode;
pub mod models;
pub mod native;
pub mod options;
mod sessions;
pub mod tool_names;

pub use adapter::Copilot;
