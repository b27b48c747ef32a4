//! WIR: the rules of JSON-RPC lines in both directions.

use super::AdapterCheck;
use crate::check::{Gate, invariant};

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "WIR-01",
        "every request gets exactly one response with its id, and no response has another id",
        "a host that waits for a response, or receives two, loses track of its requests",
        Gate::NONE,
    ),
    invariant(
        "WIR-02",
        "integers have no fraction or exponent, and every enumerated value is one that the \
         specification lists",
        "strict readers in other languages refuse such numbers and read unknown values as defaults",
        Gate::NONE,
    ),
    invariant(
        "ERR-10",
        "the code of every error response is the one that the specification lists for its kind",
        "clients without the kind branch on the code",
        Gate::NONE,
    ),
];
