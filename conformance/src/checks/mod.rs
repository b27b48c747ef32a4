//! The checks of adapters, one file per chapter, in the order of the reports.

pub mod approvals;
pub mod cancellation;
pub mod capabilities;
pub mod concurrency;
pub mod detection;
pub mod determinism;
pub mod encoding;
pub mod environment;
pub mod errors;
pub mod file_changes;
pub mod flow_control;
pub mod handshake;
pub mod input;
pub mod liveness;
pub mod manifest;
pub mod messages;
pub mod models;
pub mod ordering;
pub mod prompts;
pub mod rate_limits;
pub mod resources;
pub mod robustness;
pub mod run_end;
pub mod runs;
pub mod schema;
pub mod secrets;
pub mod sessions;
pub mod shutdown;
pub mod timeouts;
pub mod times;
pub mod usage;
pub mod wire;

mod approval_answers;
mod cli_input;
mod expectations;
mod failure_values;
mod fuzz;
mod independent_runs;
mod interleaving;
mod model_values;
mod option_values;
mod pending_approval;
mod policy;
mod requested_options;
mod run_isolation;
mod session_files;
mod snapshot;

use crate::check::{Check, Definition};
use crate::context::CheckContext;
use crate::outcome::CheckOutcome;

/// A check of an adapter and the function that performs it.
pub type AdapterCheck = Definition<CheckContext>;

/// Returns every check, in the order of the specification.
pub fn all() -> Vec<Check> {
    definitions().map(|definition| definition.check).collect()
}

/// Returns the function that performs a check; `None` for an invariant.
pub fn function_of(id: &str) -> Option<fn(&mut CheckContext) -> CheckOutcome> {
    definitions().find(|definition| definition.check.id == id)?.run
}

fn definitions() -> impl Iterator<Item = &'static AdapterCheck> {
    let chapters = [
        manifest::CHECKS,
        handshake::CHECKS,
        wire::CHECKS,
        liveness::CHECKS,
        shutdown::CHECKS,
        detection::CHECKS,
        capabilities::CHECKS,
        models::CHECKS,
        prompts::CHECKS,
        environment::CHECKS,
        secrets::CHECKS,
        runs::CHECKS,
        ordering::CHECKS,
        messages::CHECKS,
        usage::CHECKS,
        run_end::CHECKS,
        times::CHECKS,
        encoding::CHECKS,
        robustness::CHECKS,
        cancellation::CHECKS,
        timeouts::CHECKS,
        errors::CHECKS,
        rate_limits::CHECKS,
        sessions::CHECKS,
        approvals::CHECKS,
        input::CHECKS,
        file_changes::CHECKS,
        concurrency::CHECKS,
        flow_control::CHECKS,
        schema::CHECKS,
        determinism::CHECKS,
        resources::CHECKS,
    ];
    chapters.into_iter().flatten()
}
