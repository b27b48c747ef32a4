//! Gemini CLI as an OD adapter: how it is found, started, read and stopped.
//!
//! A run uses one of two interfaces, selected in [`mode`]: `stream-json` for a run without approvals
//! ([`native`], [`events`]), ACP otherwise ([`acp`]).
//!
//! Reading order: [`manifest`] (capabilities), [`detect`] (login and credential), [`mode`] and
//! [`invocation`] (command line), [`native`] and [`events`] (`stream-json`), [`acp`], [`failure`]
//! (error classification).
#![deny(clippy::print_stdout)]

pub mod acp;
mod adapter;
pub mod detect;
pub mod events;
pub mod failure;
pub mod flags;
pub mod invocation;
pub mod manifest;
pub mod mode;
pub mod models;
pub mod native;
pub mod options;
pub mod retries;
pub mod sessions;
mod tool_names;

pub use adapter::GeminiCli;
