//! The usage ledger: the tokens and cost of every run, kept when the run itself is removed.
//!
//! Reading order: `token_usage` (figures and their arithmetic), `model_usage` (from usage events to the usage of one
//! model), `run_usage` (from a run's events to the usage of each attempt), `row` (one line of the ledger), `ledger`
//! (the files), `prior_usage` (the usage of a session before a run), `entry` (from a journal to its rows), `summary`
//! (sums). The host never computes a cost or guesses a provider: it passes on what the adapter reports.

mod entry;
mod ledger;
mod model_usage;
mod prior_usage;
mod row;
mod run_usage;
mod summary;
mod token_usage;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub(crate) use entry::{AttemptUsage, record_run, record_run_blocking};
pub(crate) use ledger::{LedgerFile, examine};
pub(crate) use prior_usage::prior_usage;
pub(crate) use run_usage::{PriorUsage, RunUsage};
pub use summary::summarize;
pub(crate) use token_usage::TokenUsage;
