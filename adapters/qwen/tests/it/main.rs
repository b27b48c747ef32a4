//! Tests of the Qwen Code adapter.

mod auth;
mod invocation;
mod manifest;
mod mapping;
mod sessions;
