//! A check together with the function that performs it.

use super::{Check, Citation, Gate, Kind, Level, Tier};
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
    let check = Check { id, level, requirement, why, gate, tier, kind, citation: None };
    Definition { check, run: Some(run) }
}

/// Defines a rule at level MUST that is verified on every line received during any check.
pub const fn invariant<C>(
    id: &'static str,
    requirement: &'static str,
    why: &'static str,
    gate: Gate,
) -> Definition<C> {
    let (level, tier, kind) = (Level::Must, Tier::Fast, Kind::Invariant);
    let check = Check { id, level, requirement, why, gate, tier, kind, citation: None };
    Definition { check, run: None }
}

impl<C> Definition<C> {
    /// Lowers the level to SHOULD.
    #[must_use]
    pub const fn should(mut self) -> Self {
        self.check.level = Level::Should;
        self
    }

    /// Lowers the level to PRACTICE: the specification does not demand it.
    #[must_use]
    pub const fn practice(mut self) -> Self {
        self.check.level = Level::Practice;
        self
    }

    /// Adds the sentence of the specification that the check verifies.
    #[must_use]
    pub const fn cites(mut self, chapter: &'static str, sentence: &'static str) -> Self {
        self.check.citation = Some(Citation { chapter, sentence });
        self
    }
}
