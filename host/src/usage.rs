//! The usage ledger: what every run used, kept when the run itself is removed.
//!
//! Reading order for a newcomer: `row` (one line of the ledger), `spent` (figures and their
//! arithmetic), `share` (from ticks of a meter to what was used of a model), `fold` (from a run's events to what each
//! attempt used), `provider` (who runs a model), `ledger` (the files), `past` (what a session had used before), `enter`
//! (from a journal to its rows), `summary` (adding up). What does not live here: what a run costs is never computed,
//! only passed on where the agent CLI states it.

mod enter;
mod fold;
mod ledger;
mod lines;
mod past;
mod provider;
mod row;
mod share;
mod spent;
mod summary;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub(crate) use enter::{Used, enter, enter_now};
pub(crate) use fold::{Fold, Past};
pub(crate) use ledger::{Condition, examine};
pub(crate) use lines::LinesFromEnd;
pub(crate) use past::past;
pub(crate) use provider::provider;
pub(crate) use spent::Spent;
pub use summary::summarize;
