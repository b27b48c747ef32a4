//! Codex's adapter against what the real CLI said, and against a made-up home.

mod auth;
mod detection;
mod exec_invocation;
mod scripted_host;
mod invocation;
mod manifest;
mod mapping;
#[cfg(unix)]
mod models;
mod replay;
mod sessions;
mod stdin;
