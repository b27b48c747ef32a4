//! DON: `done` states how the run ended and sums up its events.

use super::AdapterCheck;
use crate::check::{Gate, invariant};

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "DON-01",
        "the totals and the session of `done` are those of the events of the run: bytes of text, \
         tool calls, changed files, cost and usage",
        "a list of runs shows only `done`; its numbers must be those of the run",
        Gate::NONE,
    ),
    invariant(
        "DON-02",
        "the stop reason, the evidence and the error kind of `done` fit its status",
        "a host decides by these fields whether to retry, to continue or to report success",
        Gate::NONE,
    ),
];
