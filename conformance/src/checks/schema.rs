//! SCH: the published schema.

use super::AdapterCheck;
use crate::check::{Gate, invariant};

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[invariant(
    "SCH-01",
    "every message that the adapter sends is valid against the frozen schema",
    "a host in another language relies on the published schema only",
    Gate::NONE,
)];
