//! SEC: the values of credentials occur in no output of the adapter.

use super::AdapterCheck;
use crate::check::{Gate, invariant};

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "SEC-01",
        "no message contains the value of a credential or of a variable that the adapter must not \
         pass on",
        "messages are stored in journals, displayed and sent to other machines",
        Gate::NONE,
    ),
    invariant(
        "SEC-02",
        "no line on stderr contains the value of a credential or of a variable that the adapter \
         must not pass on",
        "hosts keep the last lines of stderr and show them in reports",
        Gate::NONE,
    ),
];
