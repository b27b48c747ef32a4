//! The host library: finds `od-adapter-*` executables, starts and calls them over stdio, and turns every agent into one
//! stream of events that is on disk before a client reads it.
//!
//! Start with [`Host`] and [`RunRequest`]; [`Service`] adds the queue and the API of `od-host serve`. The command line
//! is not part of the library (`src/main.rs`, `src/cli/`), and no code here is specific to an agent: the host uses
//! executables and manifests only.
//!
//! # Layers
//!
//! From bottom to top. A module imports only modules of lines with a lower number; a test checks it.
//!
//! 1. `clock`, `error`, `sync`: plain values
//! 2. `files`: files, and who may have written them
//! 3. `home`: the home folder of the host
//! 4. `json_rpc`, `login_path`, `settings`: JSON-RPC messages; what the user has configured
//! 5. `environment`, `journal`: variables of adapters; events and records of runs as bytes and files
//! 6. `usage`: what runs used, folded from their events
//! 7. `telemetry`: logs, metrics and traces
//! 8. `plugin`: one adapter process and its calls
//! 9. `discover`: which adapters exist and may be executed
//! 10. `context`: what every operation of a host needs
//! 11. `agents`: what adapters detect, what an agent supports, and calls outside runs
//! 12. `queue`: which runs may work now
//! 13. `run`: one task per run, from prompt to `done`
//! 14. `control`: how another process reaches a run
//! 15. `host`: the public entry point
//! 16. `doctor`, `service`: checks of the installation; the API
//! 17. `serve`: the transports of the API

mod clock;
pub mod error;
mod sync;

mod files;
pub mod home;

mod json_rpc;
pub mod login_path;
pub mod settings;

pub mod environment;
pub mod journal;

pub mod usage;

pub mod telemetry;

pub mod plugin;

pub mod discover;

mod context;

pub mod agents;

pub mod queue;

pub mod run;

pub mod control;

mod host;

pub mod doctor;
pub mod service;

#[cfg(feature = "serve")]
pub mod serve;

pub use context::HostOptions;
pub use error::{ExitStatus, Failure, HostError};
pub use host::Host;
pub use run::{Answers, RunHandle, RunRequest};
pub use service::{Service, ServiceOptions};
