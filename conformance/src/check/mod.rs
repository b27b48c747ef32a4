//! What a check is: its id, the requirement it proves, when it applies, and its result.
//! The checks themselves are in `checks/` (adapters) and `acp/checks/` (ACP agents).

mod definition;
mod metadata;
mod result;

pub use definition::{Definition, active, invariant};
pub use metadata::{Check, Citation, Gate, Kind, Level, REAL_CHAPTER, Tier};
pub use result::{CheckResult, Status};
