//! The host library: finds `od-adapter-*` executables, talks to each over stdio, and turns every
//! agent into one stream of events that is on disk before anybody sees it.
//!
//! Reading order for a newcomer: [`Host`] (the front door), [`discover`] (which
//! adapters may run), [`plugin`] (one adapter process), [`journal`] (events on disk), [`run`] (one
//! run from prompt to `done`), then [`usage`] (what runs used), [`agents`], [`control`] and [`doctor`].
//!
//! What does not live here: the command line (`src/main.rs`, `src/cli/`), and anything about one
//! particular agent. The host knows executables and manifests only.

pub mod error;
pub mod home;
mod pem;
pub mod settings;

pub mod discover;
pub mod environment;
mod manifest_cache;
mod trust;

pub mod plugin;

pub mod journal;
pub mod run;

pub mod usage;

pub mod control;

mod active;
pub mod agents;
pub mod auto;
mod connections;
pub mod doctor;
pub mod features;
pub mod login_path;

mod host;

mod queue;
pub mod service;

pub mod serve;

pub mod telemetry;

pub use error::{ExitStatus, Failure, HostError};
pub use host::{Host, HostOptions};
pub use run::{Answers, RunHandle, RunRequest};
pub use service::{Service, ServiceOptions};
