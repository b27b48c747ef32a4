//! The terminal: its size, typed lines, styles, the spinner, and the sanitizer of printed text.

mod narrow_stderr;
mod sanitize;
mod size;
mod spinner;
mod style;
mod typed_lines;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as platform;

pub(crate) use sanitize::{Sanitizer, sanitize, single_line};
pub(crate) use size::{columns, stdout_viewport};
pub(crate) use spinner::{Spinner, while_waiting};
pub(crate) use style::{BOLD, DIM, FAILURE, PROMPT, SUCCESS, WARNING, paint};
pub(crate) use typed_lines::TypedLines;
