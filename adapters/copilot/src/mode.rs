//! Which way a run is driven. Pure.
//!
//! JSON lines tell errors, retries, files and exit codes best, but nobody can be asked and nothing
//! can be said later. ACP asks, but says errors as text.

use od_protocol::adapter::StartRunParams;
use od_sdk::Install;

/// The permission modes in which nothing is asked, with the flag that each stands for.
pub const UNASKED: &[(&str, &str)] =
    &[("allow-all-tools", "--allow-all-tools"), ("yolo", "--yolo")];

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `--output-format json`, the prompt on stdin.
    OneShot,
    /// `--acp`.
    Live,
}

/// Chooses by what is asked: pictures by value reach the model over ACP only, and where somebody
/// answers approvals the CLI must be able to ask.
pub fn of(start_run_params: &StartRunParams, install: &Install) -> Mode {
    let is_unasked = flag_of(start_run_params).is_some();
    let asks = install.host_answers_approvals && !is_unasked;
    match asks || !start_run_params.prompt.images.is_empty() {
        true => Mode::Live,
        false => Mode::OneShot,
    }
}

/// The flag of a permission mode in which nothing is asked.
pub fn flag_of(start_run_params: &StartRunParams) -> Option<&'static str> {
    let wanted = start_run_params.permission_mode.as_deref()?;
    UNASKED.iter().find(|(mode, _)| *mode == wanted).map(|(_, flag)| *flag)
}
