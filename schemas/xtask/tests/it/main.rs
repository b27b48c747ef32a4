//! The rules of the repository and the properties of the published schemas.

mod compatibility;
#[cfg(target_os = "linux")]
mod example_adapter;
mod examples;
mod generated;
mod repository;
mod requirements;
mod round_trip;
mod session;
mod strategy;
mod tables;
mod validator;
