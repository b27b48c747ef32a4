//! Being told to stop, by a key or by another process.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{ServiceSignals, StopSignals};
#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::{ServiceSignals, StopSignals};

/// What a service is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceSignal {
    /// End.
    Stop,
    /// Look at the agents again.
    Refresh,
}
