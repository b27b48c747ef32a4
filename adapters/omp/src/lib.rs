//! oh-my-pi (`omp`), a fork of Pi, as an OD adapter: values. The wire format that it speaks is
//! read, mapped and written by `od_sdk::pi`.
//!
//! Reading order: [`manifest`] (what it can do), [`dialect`] (how it speaks), [`detect`] (who pays).
#![deny(clippy::print_stdout)]

pub mod detect;
pub mod dialect;
pub mod manifest;

pub use manifest::OMP;
