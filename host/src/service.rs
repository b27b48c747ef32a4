//! The host's API as a library: one function for each method of `od_protocol::api`, the same for every face.
//!
//! Reading order for a newcomer: [`Service`] (what it holds), `dispatch` (from a method's name to its
//! function), then one file for each noun. How a request arrives and who may send it lives in `serve`.

mod dispatch;
mod host;

use std::sync::Arc;

use crate::host::Host;

/// Who asks: clients take turns in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Client(pub String);

/// The API. Clones share it.
#[derive(Debug, Clone)]
pub struct Service {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    host: Host,
}

impl Service {
    /// The API on top of a host.
    pub fn new(host: Host) -> Self {
        Self { shared: Arc::new(Shared { host }) }
    }

    /// The host below.
    pub fn host(&self) -> &Host {
        &self.shared.host
    }
}
