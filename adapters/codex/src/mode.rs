//! Which way the CLI is driven: by its app server, or one prompt at a time.

use od_sdk::Install;
use od_sdk::probe::version::CliVersion;

use crate::options::{ModeChoice, Options};

/// The oldest version whose app server was tried and takes a key for one process; 0.50.0 has one that knows no
/// threads.
pub const APP_SERVER_SINCE: &str = "0.120.0";

/// The way the CLI is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `codex app-server`: everything.
    AppServer,
    /// `codex exec --json`: whole messages, no approvals, no input.
    Exec,
}

/// The way for one run. A version that is not known is taken for a current one.
pub fn of(options: &Options, install: &Install) -> Mode {
    match options.mode {
        ModeChoice::AppServer => Mode::AppServer,
        ModeChoice::Exec => Mode::Exec,
        ModeChoice::Auto => of_version(install.version.as_deref()),
    }
}

/// The way for a version.
pub fn of_version(version: Option<&str>) -> Mode {
    let known = version.and_then(CliVersion::parse);
    match (known, CliVersion::parse(APP_SERVER_SINCE)) {
        (Some(version), Some(since)) if version < since => Mode::Exec,
        _ => Mode::AppServer,
    }
}
