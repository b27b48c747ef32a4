//! Tests of the Claude Code adapter.

mod auth;
mod host_actions;
mod invocation;
mod manifest;
mod mapping;
#[cfg(unix)]
mod models;
mod replay;
mod sessions;
mod stdin;
