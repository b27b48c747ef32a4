//! TIM: times and durations.

use super::AdapterCheck;
use crate::check::{Gate, invariant};

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "TIM-01",
        "`ts` of every event is the time of the event in milliseconds since 1970 (UTC), between \
         `run/start` and its receipt",
        "clients sort, display and join events by this time",
        Gate::NONE,
    ),
    invariant(
        "TIM-02",
        "`durationMs` and `silentMs` are milliseconds and never longer than the run",
        "users see how long a run took, and hosts compare it with limits",
        Gate::NONE,
    ),
];
