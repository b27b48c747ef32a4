//! The sdk's tests on real files and processes.

#[cfg(unix)]
mod probe;
