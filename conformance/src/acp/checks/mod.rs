//! The checks of an agent, one file per chapter. Invariants have only their requirements here;
//! `acp/invariants.rs` verifies them.

mod cancellation;
mod expectations;
mod handshake;
mod permissions;
mod robustness;
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
        text::CHECKS,
        tool_calls::CHECKS,
        permissions::CHECKS,
        cancellation::CHECKS,
        robustness::CHECKS,
        shutdown::CHECKS,
    ];
    chapters.into_iter().flatten()
}
