//! Looking at and ending processes. Each platform has the same functions in its own file.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub use unix::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub use windows::*;

mod usage;
pub use usage::{cpu_time, memory_kib, open_files, zombies};
