//! OpenCode as an OD adapter, driven by its HTTP server: how it is found, started or attached to,
//! talked with and stopped.
//!
//! Reading order: [`manifest`] (what it can do), [`server`] (which server a run talks to),
//! [`invocation`] (how it is started), [`requests`] (what we say to it), [`native`] (its words),
//! [`events`] (what they mean). Parts, login, rules and errors are the wire's: `od_sdk::parts`.
#![deny(clippy::print_stdout)]

mod adapter;
pub mod events;
pub mod invocation;
pub mod manifest;
pub mod models;
pub mod native;
pub mod options;
pub mod requests;
pub mod server;
pub mod sessions;

pub use adapter::OpenCodeHttp;
