//! OpenCode's HTTP adapter against what the real server said, and against one played by hand.

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
