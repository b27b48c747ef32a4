//! SIGINT, SIGTERM and SIGHUP.

use od_host::HostError;
use tokio::signal::unix::{self, SignalKind, signal};

use super::Signal;

/// The signals that commands handle.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
    hang_up: unix::Signal,
}

impl Signals {
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
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Stop,
            _ = self.terminate.recv() => Signal::Stop,
            _ = self.hang_up.recv() => Signal::HangUp,
        }
    }
}
