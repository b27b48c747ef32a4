//! The adapter `omp`.

mod auth;
mod detection;
mod invocation;
mod manifest;
mod mapping;
mod sessions;
mod stdin;
