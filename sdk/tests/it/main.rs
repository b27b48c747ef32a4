//! Tests of the sdk with real files and processes.

#[cfg(unix)]
mod client;
#[cfg(unix)]
mod probe;
mod readme;
#[cfg(unix)]
mod run;
