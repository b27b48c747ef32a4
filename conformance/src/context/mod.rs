//! The context of a check: starts adapters (shared or new), prepares and executes runs, and
//! provides random values that a seed reproduces.

mod check_context;
mod completed_run;
mod launch;

pub use check_context::{CheckContext, execute_on};
pub use completed_run::CompletedRun;
pub use launch::{CliPath, LaunchOptions, initialize, initialize_params};
