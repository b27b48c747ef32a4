//! The checks of adapters, one file per chapter, in the order of the reports.

pub mod approvals;
pub mod cancel_closes;
pub mod cancel_grace;
pub mod cancellation;
pub mod capabilities;
pub mod cli_search;
pub mod cli_versions;
pub mod concurrency;
pub mod detection;
pub mod detection_changes;
pub mod determinism;
pub mod encoding;
pub mod environment;
pub mod environment_values;
pub mod errors;
pub mod file_changes;
pub mod flow_control;
pub mod handshake;
pub mod hostile_home;
pub mod input;
pub mod left_files;
pub mod left_processes;
pub mod liveness;
pub mod login_states;
pub mod manifest;
pub mod messages;
pub mod models;
pub mod ordering;
pub mod probe_environment;
pub mod prompt_bytes;
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
pub mod timeout_activity;
pub mod timeout_values;
pub mod timeouts;
pub mod times;
pub mod tool_calls;
pub mod usage;
pub mod wire;
pub mod working_folder;

mod approval_answers;
mod cli_input;
mod expectations;
mod failure_values;
mod forwarding;
mod fuzz;
mod independent_runs;
mod interleaving;
mod line_limit;
mod model_values;
mod native_output;
mod option_values;
mod pending_approval;
mod policy;
mod requested_options;
mod run_isolation;
mod session_files;
mod snapshot;
mod text_samples;
mod throughput;

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
        cli_search::CHECKS,
        cli_versions::CHECKS,
        login_states::CHECKS,
        detection_changes::CHECKS,
        probe_environment::CHECKS,
        hostile_home::CHECKS,
        capabilities::CHECKS,
        models::CHECKS,
        prompts::CHECKS,
        prompt_bytes::CHECKS,
        environment::CHECKS,
        environment_values::CHECKS,
        working_folder::CHECKS,
        secrets::CHECKS,
        runs::CHECKS,
        ordering::CHECKS,
        messages::CHECKS,
        tool_calls::CHECKS,
        usage::CHECKS,
        run_end::CHECKS,
        times::CHECKS,
        encoding::CHECKS,
        robustness::CHECKS,
        cancellation::CHECKS,
        cancel_grace::CHECKS,
        cancel_closes::CHECKS,
        timeouts::CHECKS,
        timeout_values::CHECKS,
        timeout_activity::CHECKS,
        errors::CHECKS,
        rate_limits::CHECKS,
        sessions::CHECKS,
        approvals::CHECKS,
        input::CHECKS,
        file_changes::CHECKS,
        left_files::CHECKS,
        concurrency::CHECKS,
        flow_control::CHECKS,
        schema::CHECKS,
        determinism::CHECKS,
        resources::CHECKS,
        left_processes::CHECKS,
    ];
    chapters.into_iter().flatten()
}
