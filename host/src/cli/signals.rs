//! Signals to stop, from the terminal or from another process.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::StopSignals;
#[cfg(all(unix, feature = "serve"))]
pub(crate) use unix::ServiceSignals;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::StopSignals;
#[cfg(all(windows, feature = "serve"))]
pub(crate) use windows::ServiceSignals;

/// A signal to a service.
#[cfg(feature = "serve")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceSignal {
    /// Shut down.
    Stop,
    /// Detect the agents again.
    Refresh,
}
