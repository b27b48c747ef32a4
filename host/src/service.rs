//! The host's API as a library: one function for each method of `od_protocol::api`, the same for every face.
//!
//! Reading order for a newcomer: [`Service`] (what it holds), `dispatch` (from a method's name to its
//! function), then one file for each noun. How a request arrives and who may send it lives in `serve`.

mod adapters;
mod agents;
mod dispatch;
mod drain;
mod host;
mod keys;
mod list;
pub(crate) mod params;
mod restart;
mod roots;
mod runs;
mod sessions;
mod start;
mod usage;

pub use drain::Lifecycle;
pub use roots::Roots;

use std::sync::Arc;
use std::time::Duration;

use self::drain::Ending;
use self::keys::Keys;
use crate::host::Host;
use crate::queue::{QueueLimits, RunQueue};

/// Who asks: clients take turns in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Client(pub String);

/// What the face decides.
#[derive(Debug, Clone)]
pub struct ServiceOptions {
    /// The folders that runs may work in.
    pub roots: Roots,
    /// The largest request the face takes, for `host/info`.
    pub max_request_bytes: u64,
    /// Calls of one client in a second, for `host/info`.
    pub max_calls_per_second: u32,
    /// How long runs may go on when `host/shutdown` does not say it.
    pub drain: Duration,
}

/// The API. Clones share it.
#[derive(Debug, Clone)]
pub struct Service {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    host: Host,
    options: ServiceOptions,
    /// Limits how many runs work at the same time.
    queue: RunQueue,
    keys: Keys,
    ending: Ending,
}

impl Service {
    /// The API on top of a host. Runs that an earlier host has left unfinished are closed in the background, so this
    /// needs a tokio runtime.
    pub fn new(host: Host, options: ServiceOptions) -> Self {
        restart::settle_in_background(&host);
        restart::end_outlived_in_background(&host);
        let roots = options.roots.without(host.home().root());
        let options = ServiceOptions { roots, ..options };
        let queue = RunQueue::new(QueueLimits::from_settings(host.settings()));
        let (keys, ending) = (Keys::default(), Ending::default());
        Self { shared: Arc::new(Shared { host, options, queue, keys, ending }) }
    }

    /// The host below.
    pub fn host(&self) -> &Host {
        &self.shared.host
    }

    /// What the face decided.
    pub fn options(&self) -> &ServiceOptions {
        &self.shared.options
    }
}
