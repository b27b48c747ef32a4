//! Pi and its fork oh-my-pi (omp) as OD adapters. Both write the same JSON lines, with
//! `--mode json` (output only) or `--mode rpc` (commands on stdin as well). An adapter of this
//! family is a value: a [`PiAdapter`] with a [`Dialect`] that lists what differs ([`pi`], [`omp`]).
//!
//! Reading order: [`adapter`], [`dialect`], [`invocation`], [`native`] (types of the lines),
//! [`events`] (maps them), [`commands`] (what we write to stdin).
#![deny(clippy::print_stdout)]

pub mod omp;
pub mod pi;

pub mod adapter;
pub mod commands;
mod content;
pub mod credentials;
pub mod dialect;
pub mod events;
pub mod invocation;
pub mod models;
pub mod native;
pub mod options;
mod sessions;

pub use adapter::PiAdapter;
pub use dialect::{ApprovalChoices, Dialect, Mode};
pub use events::PiEvents;
pub use omp::OMP;
pub use pi::PI;
