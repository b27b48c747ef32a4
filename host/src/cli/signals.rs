//! Being told to stop, by a key or by another process.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::StopSignals;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::StopSignals;
