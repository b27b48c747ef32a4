//! The adapter `opencode-http`.

mod answering;
mod attached;
mod auth;
mod invocation;
mod manifest;
mod mapping;
mod models;
mod recordings;
mod sessions;
mod talk;
