//! Gemini CLI as an OD adapter: how it is found, started, read and stopped.
//!
//! It is driven in one of two ways, chosen per run in [`mode`]: `stream-json` for a run nobody has to
//! be asked about ([`native`], [`events`]), ACP for the rest ([`live`]).
//!
//! Reading order: [`manifest`] (what it can do), [`detect`] (who pays), [`mode`] and [`invocation`]
//! (how it is started), [`native`] and [`events`] (one shot), [`live`] (ACP), [`failure`] (what went
//! wrong, in both).
#![deny(clippy::print_stdout)]

mod adapter;
pub mod detect;
pub mod events;
pub mod failure;
pub mod flags;
pub mod invocation;
pub mod live;
pub mod manifest;
pub mod mode;
pub mod models;
pub mod native;
pub mod options;
pub mod retries;
pub mod sessions;
mod words;

pub use adapter::GeminiCli;
