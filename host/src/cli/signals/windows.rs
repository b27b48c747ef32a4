//! Ctrl-C, Ctrl-Break and the closing of the console.

use od_host::HostError;
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

use super::Signal;

/// The signals that commands handle.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
    hang_up: CtrlClose,
}

impl Signals {
    pub(crate) fn listen() -> Result<Self, HostError> {
        let failed = |error| HostError::storage("cannot catch Ctrl-C", &error);
        Ok(Self {
            interrupt: ctrl_c().map_err(failed)?,
            terminate: ctrl_break().map_err(failed)?,
            hang_up: ctrl_close().map_err(failed)?,
        })
    }

    /// Waits for the next signal. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
        Signal::Stop
    }
}
