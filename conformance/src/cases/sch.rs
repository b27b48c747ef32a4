//! SCH: the published schema.

use crate::case::{Body, Check, Gate, Level, Tier};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[Check {
    id: "SCH-01",
    level: Level::Must,
    sentence: "every message the adapter sends is valid against the frozen schema",
    why: "a host in another language reads events by the published schema and nothing else",
    gate: Gate::NONE,
    tier: Tier::Fast,
    body: Body::Invariant,
}];
