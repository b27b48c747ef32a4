//! Gemini CLI's adapter against what the real CLI said, and against a made-up home.

mod acp;
mod auth;
mod invocation;
mod manifest;
mod mapping;
#[cfg(unix)]
mod models;
mod sessions;
