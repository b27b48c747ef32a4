//! SIGINT, SIGTERM and SIGHUP.

use od_host::HostError;
use tokio::signal::unix::{Signal, SignalKind, signal};

#[cfg(feature = "serve")]
use super::ServiceSignal;

/// Signals to stop.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl StopSignals {
    /// # Errors
    /// When the signals cannot be caught.
    pub(crate) fn listen() -> Result<Self, HostError> {
        let listen =
            |kind| signal(kind).map_err(|error| HostError::storage("cannot catch signals", &error));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal. Cancel-safe.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// The signals of a service: SIGHUP refreshes instead of stopping.
#[cfg(feature = "serve")]
#[derive(Debug)]
pub(crate) struct ServiceSignals(StopSignals);

#[cfg(feature = "serve")]
impl ServiceSignals {
    /// # Errors
    /// When the signals cannot be caught.
    pub(crate) fn listen() -> Result<Self, HostError> {
        StopSignals::listen().map(Self)
    }

    /// Waits for the next signal. Cancel-safe.
    pub(crate) async fn next(&mut self) -> ServiceSignal {
        let StopSignals { interrupt, terminate, hang_up } = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => ServiceSignal::Stop,
            _ = terminate.recv() => ServiceSignal::Stop,
            _ = hang_up.recv() => ServiceSignal::Refresh,
        }
    }
}
