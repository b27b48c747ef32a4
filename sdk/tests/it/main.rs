//! The sdk's tests on real files and processes.

#[cfg(unix)]
mod client;
#[cfg(unix)]
mod probe;
#[cfg(unix)]
mod run;
