//! USE: the usage of a run covers this run, and its numbers add up.

use super::AdapterCheck;
use crate::check::{Gate, invariant};

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[invariant(
    "USE-01",
    "`totalTokens` of every `usage` is the sum of input, output, cache read and cache write tokens",
    "budgets are computed with the total",
    Gate::NONE,
)];
