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

pub(crate) use core::RunCore;
pub(crate) use registry::{Runs, RunsSetup};
