//! Qwen Code as an OD adapter: how it is found, started, read and stopped.
//!
//! Reading order: [`manifest`] (capabilities), [`detect`] (login and credential), [`invocation`]
//! (command line), [`native`] (its own line types; shared ones are in [`od_sdk::stream_json`]),
//! [`events`] (mapping to protocol events), `sessions` (session files on disk).
#![deny(clippy::print_stdout)]

mod adapter;
pub mod detect;
pub mod events;
pub mod invocation;
pub mod manifest;
pub mod models;
pub mod native;
pub mod options;
mod sessions;

pub use adapter::Qwen;
