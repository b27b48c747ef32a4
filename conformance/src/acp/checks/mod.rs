//! The checks of an agent, one file per chapter. Invariants have only their requirements here;
//! `acp/invariants.rs` verifies them.

mod cancellation;
mod expectations;
mod handshake;
mod permissions;
mod robustness;
mod session_load;
mod sessions;
mod shutdown;
mod text;
mod tool_calls;
mod wire;

use super::context::AgentContext;
use crate::check::{Check, Definition};
use crate::outcome::CheckOutcome;

/// A check of an ACP agent and the function that performs it.
type AgentCheck = Definition<AgentContext>;

/// Returns every check of an agent, in the order of the chapters.
pub fn checks() -> Vec<Check> {
    definitions().map(|definition| definition.check).collect()
}

/// Returns the function that performs a check; `None` for an invariant.
pub(super) fn function_of(id: &str) -> Option<fn(&mut AgentContext) -> CheckOutcome> {
    definitions().find(|definition| definition.check.id == id)?.run
}

fn definitions() -> impl Iterator<Item = &'static AgentCheck> {
    let chapters = [
        handshake::CHECKS,
        wire::CHECKS,
        sessions::CHECKS,
        session_load::CHECKS,
        text::CHECKS,
        tool_calls::CHECKS,
        permissions::CHECKS,
        cancellation::CHECKS,
        robustness::CHECKS,
        shutdown::CHECKS,
    ];
    chapters.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Level;

    #[test]
    fn every_check_has_a_citation_or_is_practice() {
        for check in checks() {
            let is_practice = check.level == Level::Practice;
            let id = check.id;
            assert_ne!(check.citation.is_some(), is_practice, "{id}: cite ACP, or use practice()");
            assert!(check.basis().is_some_and(|basis| basis.contains("ACP")), "{id}");
        }
    }
}
