//! Tests of the Copilot adapter.

mod auth;
mod invocation;
mod manifest;
mod mapping;
mod sessions;
