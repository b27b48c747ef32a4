//! The terminal: its size, its keys, its styles, its spinner, and what must never reach it.

mod lines;
mod narrow;
mod sanitize;
mod size;
mod spinner;
mod style;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as platform;

pub(crate) use lines::TypedLines;
pub(crate) use sanitize::{Sanitizer, sanitize, single_line};
pub(crate) use size::{columns, stdout_look};
pub(crate) use spinner::{Spinner, while_waiting};
pub(crate) use style::{ASK, BAD, BOLD, DIM, GOOD, WARN, paint};
