//! The adapter `opencode-http`.

mod test_server;
mod attached;
mod auth;
mod handshake;
mod invocation;
mod manifest;
mod mapping;
mod models;
mod sessions;
mod settings;
mod live_run;
