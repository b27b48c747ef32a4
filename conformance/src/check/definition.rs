//! A check together with the function that performs it.

use super::{Check, Gate, Kind, Level, Tier};
use crate::outcome::CheckOutcome;

/// A check and its function; `C` is the context the function works with.
pub struct Definition<C: 'static> {
    /// The check.
    pub check: Check,
    /// Performs the check; `None` for an invariant.
    pub run: Option<fn(&mut C) -> CheckOutcome>,
}

/// Defines a check at level MUST that exercises the adapter or agent.
pub const fn active<C>(
    id: &'static str,
    requirement: &'static str,
    why: &'static str,
    gate: Gate,
    run: fn(&mut C) -> CheckOutcome,
) -> Definition<C> {
    let (level, tier, kind) = (Level::Must, Tier::Fast, Kind::Active);
    Definition { check: Check { id, level, requirement, why, gate, tier, kind }, run: Some(run) }
}

/// Defines a rule at level MUST that is verified on every line received during any check.
pub const fn invariant<C>(
    id: &'static str,
    requirement: &'static str,
    why: &'static str,
    gate: Gate,
) -> Definition<C> {
    let (level, tier, kind) = (Level::Must, Tier::Fast, Kind::Invariant);
    Definition { check: Check { id, level, requirement, why, gate, tier, kind }, run: None }
}

impl<C> Definition<C> {
    /// Lowers the level to SHOULD.
    #[must_use]
    pub const fn should(mut self) -> Self {
        self.check.level = Level::Should;
        self
    }
}
