//! Signals to stop, from the terminal or from another process.

#[cfg(unix)]
mod unix;
#[cfg(all(unix, feature = "serve"))]
pub(crate) use unix::ServiceSignals;
#[cfg(unix)]
pub(crate) use unix::StopSignals;
#[cfg(windows)]
mod windows;
#[cfg(all(windows, feature = "serve"))]
pub(crate) use windows::ServiceSignals;
#[cfg(windows)]
pub(crate) use windows::StopSignals;

/// A signal to a service.
#[cfg(feature = "serve")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceSignal {
    /// Shut down.
    Stop,
    /// Detect the agents again.
    Refresh,
}
