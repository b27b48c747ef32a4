//! The suite tests itself: the reference adapter passes every check; each mutant fails exactly the
//! checks that must find it.
//!
//! This module selects the checks per subject, runs them and evaluates the results. The faults are
//! in `mutant`, the command line in `command/self_test.rs`.
//!
//! A mutant runs with every check in which the reference adapter reached its fault (see [`FaultCoverage`]);
//! in all other checks both behave the same.

mod document;
mod fault_coverage;
pub mod generated;
mod outcome;
mod run_subject;
mod subject;
mod table;

pub use document::document;
pub use fault_coverage::FaultCoverage;
pub(crate) use outcome::missing_parts;
pub use outcome::{Cell, Outcome};
pub use run_subject::{SelfTestOptions, recheck, record_fault_coverage, run_subject};
pub use subject::{Location, Subject, SubjectFolder, subjects};
pub use table::table;
