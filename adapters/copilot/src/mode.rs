//! Selects how a run is driven. Pure.
//!
//! JSON lines report errors, retries, files and exit codes, but support no approvals and no later
//! input. ACP supports both, but reports errors as text.

use od_protocol::adapter::StartRunParams;
use od_sdk::Install;

/// Permission modes without approvals, each with its flag.
pub const WITHOUT_APPROVALS: &[(&str, &str)] =
    &[("allow-all-tools", "--allow-all-tools"), ("yolo", "--yolo")];

/// The interface of the CLI that a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `--output-format json`, the prompt on stdin.
    JsonLines,
    /// `--acp`.
    Acp,
}

/// Returns ACP when approvals are answered or the prompt has images, which the CLI accepts over ACP
/// only.
pub fn of(start_run_params: &StartRunParams, install: &Install) -> Mode {
    let needs_no_approvals = flag_of(start_run_params).is_some();
    let has_approvals = install.host_answers_approvals && !needs_no_approvals;
    match has_approvals || !start_run_params.prompt.images.is_empty() {
        true => Mode::Acp,
        false => Mode::JsonLines,
    }
}

/// The flag of a permission mode without approvals.
pub fn flag_of(start_run_params: &StartRunParams) -> Option<&'static str> {
    let wanted = start_run_params.permission_mode.as_deref()?;
    WITHOUT_APPROVALS.iter().find(|(mode, _)| *mode == wanted).map(|(_, flag)| *flag)
}
