//! The adapter `omp`.

mod auth;
mod detection;
mod invocation;
mod manifest;
mod mapping;
mod recordings;
mod sessions;
