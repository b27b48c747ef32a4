//! Write an `od-adapter-x` in an afternoon.
//!
//! An adapter is a value that implements [`Adapter`]: what the agent CLI is called, how it is
//! started, and a [`Mapper`] that turns its lines into protocol events. Everything else lives
//! here: finding the CLI, starting it, reading it, stopping it with everything it started, the
//! rules of an event stream, and the talk with the host. No author types `async`.
//!
//! Reading order: [`adapter`] (what you write), [`output`] (what your mapper may do),
//! [`invocation`], [`machine`] and the probes (what detection looks at), [`serve`] (how it runs).
#![deny(clippy::print_stdout)]

pub mod adapter;
pub mod invocation;
pub mod machine;
pub mod output;

pub mod emit;
mod environment;
mod gate;
mod lines;
mod outbox;
mod run;
pub mod serve;
mod tree;

pub mod acp;
pub mod approval;
pub mod auth;
pub mod cli_version;
pub mod detect;
pub mod diff;
pub mod failure;
pub mod help;
pub mod http;
pub mod json_rpc;
mod login_shell;
pub mod manifest;
pub mod parts;
pub mod pi;
pub mod probe;
pub mod restart;
pub mod retries;
pub mod session_files;
pub mod start_run;
pub mod stream_json;
pub mod testing;
pub mod turns;
pub mod wording;

pub use adapter::{Adapter, Ending, Exit, Mapper, PoliteStop};
pub use invocation::Invocation;
pub use machine::{Install, Machine, Secret};
pub use output::RunOutput;
pub use serve::serve;
