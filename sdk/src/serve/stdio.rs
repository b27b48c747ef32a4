//! Standard output belongs to the protocol: it is moved away, so that a stray print in an adapter
//! or one of its crates lands on stderr.

#[cfg(unix)]
#[path = "stdio/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "stdio/windows.rs"]
mod platform;

pub(crate) use platform::protect_stdout;
