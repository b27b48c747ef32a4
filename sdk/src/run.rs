//! Runs: validated, started, supervised, ended. One supervisor thread owns a run from start to end;
//! the threads that read and write its pipes wake it.

mod environment;
mod launch;
mod outcome;
mod pipes;
mod prepare;
mod process;
mod registry;
mod state;
mod stderr_tail;
mod supervisor;
mod validate;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub(crate) use prepare::RunSetup;
pub(crate) use registry::Runs;
