//! Everything that could be wrong, as data: the command line only prints it. One file per chapter.

mod adapters;
mod home;
mod runs;
mod usage;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

use serde::Serialize;

use crate::host::Host;

/// The verdict of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// All is well.
    Ok,
    /// It works, but look at it.
    Warn,
    /// It does not work.
    Fail,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// A stable name, such as `home.writable` or `agent.codex`.
    pub name: String,
    /// The verdict.
    pub status: CheckStatus,
    /// What was looked at and what it showed.
    pub found: String,
    /// What to type or change, unless all is well.
    pub fix: Option<String>,
}

impl Check {
    fn ok(name: impl Into<String>, found: impl Into<String>) -> Self {
        Self { name: name.into(), status: CheckStatus::Ok, found: found.into(), fix: None }
    }

    fn warn(name: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            status: CheckStatus::Warn,
            found: found.into(),
            fix: Some(fix.into()),
        }
    }

    fn fail(name: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { status: CheckStatus::Fail, ..Self::warn(name, found, fix) }
    }
}

/// Looks at everything, from the ground up.
pub(crate) async fn examine(host: &Host) -> Vec<Check> {
    let mut checks = home::examine(host);
    checks.extend(adapters::examine(host).await);
    checks.extend(runs::examine(host.home()));
    checks.extend(usage::examine(host.home()));
    checks
}
