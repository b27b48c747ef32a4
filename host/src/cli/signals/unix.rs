//! SIGINT, SIGTERM and SIGHUP.

use od_host::HostError;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::ServiceSignal;

/// Requests to stop, from now on.
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

    /// The next request. May be dropped while it waits.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// The same signals as a service hears them.
#[derive(Debug)]
pub(crate) struct ServiceSignals(StopSignals);

impl ServiceSignals {
    /// # Errors
    /// When the signals cannot be caught.
    pub(crate) fn listen() -> Result<Self, HostError> {
        StopSignals::listen().map(Self)
    }

    /// The next one. May be dropped while it waits.
    pub(crate) async fn next(&mut self) -> ServiceSignal {
        let StopSignals { interrupt, terminate, hang_up } = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => ServiceSignal::Stop,
            _ = terminate.recv() => ServiceSignal::Stop,
            _ = hang_up.recv() => ServiceSignal::Refresh,
        }
    }
}
