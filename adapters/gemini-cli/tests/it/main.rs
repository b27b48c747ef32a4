//! Tests of the Gemini CLI adapter.

mod acp;
mod auth;
mod invocation;
mod manifest;
mod mapping;
#[cfg(unix)]
mod models;
mod sessions;
