//! Tests of the host, in one binary.

mod cli;
mod library;
mod serve;
