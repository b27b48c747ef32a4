//! Selects how a run is driven. Pure.
//!
//! The app server supports approvals, input and deltas. `codex exec --json` runs one prompt and reports
//! complete messages; it exists for versions without a usable app server.

use od_sdk::Install;
use od_sdk::probe::version::CliVersion;

use crate::options::{ModeChoice, Options};

/// The oldest version whose app server was verified and accepts a key for one process. The app server of
/// 0.50.0 has no threads.
pub const APP_SERVER_SINCE: &str = "0.120.0";

/// The interface of the CLI that a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `codex app-server`.
    AppServer,
    /// `codex exec --json`.
    Exec,
}

/// Returns the mode of a run. An unknown version counts as a current one.
pub fn of(options: &Options, install: &Install) -> Mode {
    match options.mode {
        ModeChoice::AppServer => Mode::AppServer,
        ModeChoice::Exec => Mode::Exec,
        ModeChoice::Auto => of_version(install.version.as_deref()),
    }
}

/// Returns the mode of a version.
pub fn of_version(version: Option<&str>) -> Mode {
    let version = version.and_then(CliVersion::parse);
    match (version, CliVersion::parse(APP_SERVER_SINCE)) {
        (Some(version), Some(since)) if version < since => Mode::Exec,
        _ => Mode::AppServer,
    }
}
