//! Ctrl-C, Ctrl-Break and the end of the console.

use od_host::HostError;
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

use super::ServiceSignal;

/// Requests to stop, from now on.
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

    /// The next request. May be dropped while it waits.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// The same as a service hears it; there is no signal that asks it to look at the agents again.
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
        self.0.next().await;
        ServiceSignal::Stop
    }
}
