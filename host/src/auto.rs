//! Which agent `-a auto` means: the best one that is installed and logged in, `demo` last.

use crate::agents::Agent;

/// The best of the agents that can run right now.
pub fn best_agent(_agents: &[Agent]) -> Option<&Agent> {
    todo!()
}
