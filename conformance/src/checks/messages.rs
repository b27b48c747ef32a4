//! MSG, TXT: messages of the agent and their text, byte for byte.

use super::AdapterCheck;
use crate::check::{Gate, invariant};

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[invariant(
    "MSG-01",
    "each message has an id of its own, starts once, contains its deltas, and is stopped or \
     discarded before `done`",
    "an interface shows one block per message and closes it when the message stops",
    Gate::NONE,
)];
