//! One adapter process: start it, call it, read what it says, and leave nothing of it behind.

use od_protocol::{Call, ErrorObject, InitializeResult};

/// A running, initialised adapter process.
#[derive(Debug)]
pub struct Plugin {}

impl Plugin {
    /// What it answered to `initialize`.
    pub fn initialized(&self) -> &InitializeResult {
        todo!()
    }

    /// Calls a method with the method's own limit of time:
    /// `plugin.call(ListModelsParams::default()).await`.
    ///
    /// # Errors
    /// What the adapter answered; `plugin_crashed` or `plugin_hung` when it did not.
    pub async fn call<P: Call>(&self, _params: P) -> Result<P::Result, ErrorObject> {
        todo!()
    }

    /// Ends the process politely (stdin EOF), then hard, and sweeps what it leaves.
    pub async fn close(self) {}
}
