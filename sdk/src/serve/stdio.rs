//! Reserves standard output for the protocol: a stray print in an adapter or one of its crates goes
//! to stderr.

#[cfg(unix)]
#[path = "stdio/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "stdio/windows.rs"]
mod platform;

pub(crate) use platform::protect_stdout;
