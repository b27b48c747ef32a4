//! Signals from the terminal or from another process.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::Signals;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::Signals;

/// A signal. Every command stops at any of them, except `serve`, which does not stop at `HangUp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT, SIGTERM, Ctrl-C, or the closing of the console.
    Stop,
    /// SIGHUP.
    HangUp,
}
