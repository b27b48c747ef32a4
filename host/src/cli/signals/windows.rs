//! Ctrl-C, Ctrl-Break and the closing of the console.

use od_host::HostError;
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

#[cfg(feature = "serve")]
use super::ServiceSignal;

/// Signals to stop.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
    hang_up: CtrlClose,
}

impl StopSignals {
    /// # Errors
    /// When the signals cannot be caught.
    pub(crate) fn listen() -> Result<Self, HostError> {
        let failed = |error| HostError::storage("cannot catch Ctrl-C", &error);
        Ok(Self {
            interrupt: ctrl_c().map_err(failed)?,
            terminate: ctrl_break().map_err(failed)?,
            hang_up: ctrl_close().map_err(failed)?,
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

/// The signals of a service. Windows has no signal to refresh.
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
        self.0.next().await;
        ServiceSignal::Stop
    }
}
