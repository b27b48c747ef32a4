//! The adapter `pi`.

mod auth;
mod detection;
mod invocation;
mod manifest;
mod mapping;
#[cfg(unix)]
mod models;
mod sessions;
mod stdin;
