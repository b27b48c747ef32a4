//! The suite judges itself: the right adapter passes everything, each mutant is caught by the checks
//! that must catch it and by no others.
//!
//! What lives here: who is judged, with which checks, and what is made of it. What does not: the
//! faults and what each must flip (`mutant/`), and the command line (`command/self_test.rs`).
//!
//! A mutant is judged with every check in which the right adapter came to the place of its fault
//! (see [`Reach`]); with the others it cannot behave otherwise.

mod document;
mod judging;
mod outcome;
mod reach;
mod subject;
mod table;

pub use document::document;
pub use judging::{Judging, judge_subject, look_again, record_reach};
pub(crate) use outcome::lacking;
pub use outcome::{Cell, Outcome};
pub use reach::Reach;
pub use subject::{Place, Subject, subjects};
pub use table::table;
