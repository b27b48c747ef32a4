//! The result of one check.

use std::time::Duration;

use super::Check;
use crate::outcome::Finding;

/// The status of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The requirement holds.
    Pass,
    /// The requirement does not hold.
    Fail,
    /// A SHOULD requirement does not hold.
    Warn,
    /// Good practice that the specification does not demand is not followed.
    Advice,
    /// The check does not apply.
    Skip,
    /// Another problem must be fixed first.
    Blocked,
    /// The capability is declared but cannot be demonstrated.
    Untestable,
    /// The requirement does not hold, and the list of known failures gives the reason.
    KnownFailure,
    /// The check is listed as a known failure but passes, or the entry has expired.
    Stale,
    /// The check is newer than the requirement set and not scored.
    AddedLater,
    /// The suite failed.
    SuiteError,
}

impl Status {
    /// Every status, in the order of reports.
    pub const ALL: &'static [Self] = &[
        Self::Pass,
        Self::Fail,
        Self::Warn,
        Self::Advice,
        Self::Skip,
        Self::Blocked,
        Self::Untestable,
        Self::KnownFailure,
        Self::Stale,
        Self::AddedLater,
        Self::SuiteError,
    ];

    /// The name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Advice => "advice",
            Self::Skip => "skip",
            Self::Blocked => "blocked",
            Self::Untestable => "untestable",
            Self::KnownFailure => "known failure",
            Self::Stale => "stale",
            Self::AddedLater => "added later",
            Self::SuiteError => "suite error",
        }
    }

    /// Whether this status makes the adapter non-conformant.
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Fail | Self::Blocked | Self::Untestable | Self::Stale)
    }
}

/// The result of one check.
#[derive(Clone)]
pub struct CheckResult {
    /// The check.
    pub check: Check,
    /// Its status.
    pub status: Status,
    /// Why it did not pass.
    pub finding: Option<Finding>,
    /// How long it took.
    pub took: Duration,
    /// A remark from the list of known failures or the requirement set.
    pub remark: Option<String>,
}
