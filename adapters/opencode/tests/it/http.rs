//! The adapter `opencode-http`.

mod attached;
mod auth;
mod handshake;
mod invocation;
mod live_run;
mod manifest;
mod mapping;
mod models;
mod sessions;
mod settings;
mod test_server;
