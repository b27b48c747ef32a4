//! Tests of the adapter: recordings of the real CLI, and test homes.

mod auth;
mod detection;
mod exec_invocation;
mod invocation;
mod manifest;
mod mapping;
#[cfg(unix)]
mod models;
mod replay;
mod scripted_host;
mod sessions;
mod stdin;
