//! The rules that hold for every line that an adapter sends, during any check.
//!
//! `InvariantChecker` receives every line of one adapter process; `stream` contains the rules of
//! one run. Violations are kept in [`Violations`] and reported under the id of the rule, not of the
//! check that was running.

mod checker;
mod label;
mod responses;
mod run_clock;
mod run_end;
mod stream;
mod text_blocks;
mod tool_calls;
mod violation;
mod violations;

pub use checker::InvariantChecker;
pub use label::Label;
pub use violations::Violations;
