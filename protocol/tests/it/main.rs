//! The tests of the protocol crate: what is published, what is read, what the repository promises.

mod compatibility;
mod environment;
mod errors;
#[cfg(target_os = "linux")]
mod example_adapter;
mod messages;
mod reader;
mod repository;
mod round_trip;
mod schemas;
mod session;
mod strategy;
mod validator;
mod versions;
