//! The adapter `opencode-http`.

mod answering;
mod attached;
mod auth;
mod handshake;
mod invocation;
mod manifest;
mod mapping;
mod models;
mod sessions;
mod settings;
mod talk;
