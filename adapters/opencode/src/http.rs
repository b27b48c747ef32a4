//! OpenCode driven by its HTTP server: one server per run, or a server that is already running.
//!
//! Reading order: [`manifest`], [`server`] (selects the server of a run), [`invocation`] (starts
//! `opencode serve`), [`requests`] (HTTP requests we send), [`native`] (types of the server's
//! events), [`events`] (maps them).

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
