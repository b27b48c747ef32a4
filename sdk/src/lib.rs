//! Write an adapter for an agent CLI: an executable `od-adapter-<id>`.
//!
//! An adapter is a value that implements [`Adapter`]: the name of the agent CLI, how it is started,
//! and a [`Mapper`] that turns its lines into protocol events. This crate does the rest: it finds
//! the CLI, starts it, reads it, stops it with every process it started, applies the rules of the
//! event stream and communicates with the host. Authors write no `async`.
//!
//! Start with [`Adapter`] (what you write), [`Mapper`] and [`RunOutput`] (what a run emits),
//! [`Invocation`] and [`Machine`]. `sdk/README.md` is a step-by-step guide.
//!
//! # Layers
//! A module imports only modules of lower-numbered lines, not of its own line.
//!
//! 1. `event`: builds events
//! 2. `approval`, `diff`, `files`, `json_rpc`, `machine`, `manifest`, `outbox`, `outcome`, `repeat`, `retries`, `session_files`, `start_run`, `text`, `usage`: values and small helpers
//! 3. `auth`, `emit`, `failure`, `http`, `invocation`: logins, the event stream, error kinds, requests, the command line
//! 4. `output`, `probe`: what a mapper can do; finding an agent CLI and its version
//! 5. `mapper`, `stream_json`, `turns`: mapping the output of one run
//! 6. `adapter`: one agent CLI
//! 7. `detect`, `testing`: answering `adapter/detect`; helpers for the tests of adapters
//! 8. `acp`, `run`: a mapper for agents of the Agent Client Protocol; starting, supervising and ending runs
//! 9. `serve`: the adapter process
#![deny(clippy::print_stdout)]

pub mod adapter;
pub mod invocation;
pub mod machine;
pub mod mapper;
pub mod outcome;
pub mod output;
pub mod serve;

pub mod auth;
pub mod detect;
pub mod emit;
pub mod files;
mod outbox;
pub mod probe;
mod run;

pub mod acp;
pub mod approval;
pub mod diff;
pub mod event;
pub mod failure;
pub mod http;
pub mod json_rpc;
pub mod manifest;
pub mod repeat;
pub mod retries;
pub mod session_files;
pub mod start_run;
pub mod stream_json;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
pub mod turns;
pub mod usage;

pub use adapter::{Adapter, SessionStore};
pub use invocation::Invocation;
pub use machine::{Flags, Install, Machine, Secret};
pub use mapper::{Mapper, PoliteStop, UserInput};
pub use outcome::{Exit, RunOutcome};
pub use output::RunOutput;
pub use serve::serve;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
