//! The outcome of a check: `Ok(())` or a [`Finding`], so that checks can use `?`.

mod evidence;
mod finding;

pub use evidence::{complete, complete_finding};
pub use finding::{
    CheckOutcome, Failure, Finding, ensure, fail, needs_process_inspection, shorten, skip_if,
};
