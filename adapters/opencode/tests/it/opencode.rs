//! The adapter `opencode`.

mod auth;
mod invocation;
mod manifest;
mod mapping;
#[cfg(unix)]
mod models;
mod recordings;
mod sessions;
