//! Checks of the installation, as data: the command line only prints them. One file per chapter.

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

/// The result of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// No problem.
    Ok,
    /// It works, but needs attention.
    Warn,
    /// It does not work.
    Fail,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// A stable name, such as `home.writable` or `agent.demo`.
    pub name: String,
    /// The result.
    pub status: CheckStatus,
    /// What was checked and what was found.
    pub found: String,
    /// What to type or change; `None` when the status is `Ok`.
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

impl Host {
    /// Checks the home folder, the adapters, the runs and the usage ledger.
    pub async fn doctor(&self) -> Vec<Check> {
        let mut checks = home::check(self);
        checks.extend(adapters::check(self).await);
        checks.extend(runs::check(self.home()));
        checks.extend(usage::check(self.home()));
        checks
    }
}
