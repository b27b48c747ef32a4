//! Runs: accepted, supervised, ended. One supervisor thread owns a run's life; the threads that
//! read and write pipes tell it what they see.

mod core;
mod launch;
mod pipes;
mod process;
mod registry;
mod supervise;
mod tail;
mod verdict;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub(crate) use core::RunCore;
pub(crate) use registry::{Runs, RunsSetup};
