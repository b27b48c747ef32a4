//! The host's API as a library: one function per method of `od_protocol::api`, the same for every transport.
//!
//! Reading order: [`Service`], `dispatch` (from the name of a method to its function), then one file per noun. How a
//! request arrives and who may send it is in `serve`.

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

use self::drain::Shutdown;
use self::keys::Keys;
use crate::host::Host;
use crate::queue::{QueueLimits, RunQueue};

/// The name of a client. Clients take turns in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Client(pub String);

/// What the transport decides.
#[derive(Debug, Clone)]
pub struct ServiceOptions {
    /// The folders that runs may work in.
    pub roots: Roots,
    /// The largest request of the transport, for `host/info`.
    pub max_request_bytes: u64,
    /// The limit of calls per second and client, for `host/info`.
    pub max_calls_per_second: u32,
    /// How long runs may continue after a `host/shutdown` without `drainMs`.
    pub drain: Duration,
}

/// The API on top of a [`Host`]. Clones share it.
///
/// ```
/// use std::time::Duration;
///
/// use od_host::home::OdHome;
/// use od_host::service::Roots;
/// use od_host::{Host, HostOptions, Service, ServiceOptions};
/// use od_protocol::api::ListRunsParams;
///
/// # let scratch = tempfile::tempdir().expect("a folder");
/// # let (path, project) = (scratch.path().join("od-home"), scratch.path());
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
/// # runtime.block_on(async {
/// let host = Host::open(HostOptions::new(OdHome::at(path)?))?;
/// let options = ServiceOptions {
///     roots: Roots::new([project])?,
///     max_request_bytes: 1024 * 1024,
///     max_calls_per_second: 100,
///     drain: Duration::ZERO,
/// };
/// let service = Service::new(host, options);
/// assert!(service.list_runs(ListRunsParams::default()).await?.runs.is_empty());
/// service.drain(Duration::ZERO).await;
/// # Ok::<(), od_host::HostError>(())
/// # })?;
/// # Ok::<(), od_host::HostError>(())
/// ```
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
    shutdown: Shutdown,
}

impl Service {
    /// Creates the API on top of a host. Needs a tokio runtime: it closes the runs of earlier hosts in the background.
    pub fn new(host: Host, options: ServiceOptions) -> Self {
        restart::settle_in_background(&host);
        restart::stop_orphans_in_background(&host);
        let roots = options.roots.without(host.home().root());
        let options = ServiceOptions { roots, ..options };
        let queue = RunQueue::new(QueueLimits::from_settings(host.settings()));
        let (keys, shutdown) = (Keys::default(), Shutdown::default());
        Self { shared: Arc::new(Shared { host, options, queue, keys, shutdown }) }
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.shared.host
    }

    /// The options the service was created with.
    pub fn options(&self) -> &ServiceOptions {
        &self.shared.options
    }
}
