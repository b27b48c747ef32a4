//! Runs the generated faults: which checks find each of them, and which faults survive.
//!
//! First the reference adapter runs with each check alone and records which faults would alter one
//! of its messages (`reach`). Each fault then runs with these checks, the most promising first, until
//! one fails (`run_fault`). Right but different adapters run with every check, and none may fail
//! (`run_variant`). The faults themselves are in `generated_faults`.

mod document;
mod proven;
mod reach;
mod result;
mod run_fault;
mod run_variant;
mod summary;

pub use document::document;
pub use proven::{ProvenFault, proven_faults, proven_text};
pub use reach::{Reach, record_reach};
pub use result::{FaultResult, Outcome, evaluate_unreached};
pub use run_fault::{CatchHistory, run_fault, run_proven};
pub use run_variant::{VariantOutcome, run_variant};
pub use summary::{ChapterCount, count_chapters, print_summary, share};
