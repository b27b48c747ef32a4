//! How a host behaves: what the embedding program decides.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::home::OdHome;

/// How a host behaves. [`HostOptions::new`] returns the defaults of `od-host`.
///
/// ```
/// use std::time::Duration;
///
/// use od_host::HostOptions;
/// use od_host::home::OdHome;
///
/// let home = OdHome::at(std::env::temp_dir().join("od-home"))?;
/// let options = HostOptions { keep_adapters: Duration::from_secs(5), ..HostOptions::new(home) };
/// assert!(options.adapter_dirs.is_empty());
/// # Ok::<(), od_host::HostError>(())
/// ```
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The home folder of the host.
    pub home: OdHome,
    /// `--adapter-dir`: these folders are searched first.
    pub adapter_dirs: Vec<PathBuf>,
    /// How long an adapter may be silent before the host pings it.
    pub silence: Duration,
    /// How long an adapter may take to answer that ping.
    pub ping_limit: Duration,
    /// How long an adapter process stays after a call outside a run, ready for the next call.
    pub keep_adapters: Duration,
    /// Replaces the PATH of this process (see [`login_path`](crate::login_path)).
    pub search_path: Option<OsString>,
}

impl HostOptions {
    /// The defaults of `od-host`.
    pub fn new(home: OdHome) -> Self {
        Self {
            home,
            adapter_dirs: Vec::new(),
            silence: Duration::from_secs(10),
            ping_limit: Duration::from_secs(5),
            keep_adapters: Duration::from_secs(60),
            search_path: None,
        }
    }

    pub(super) fn effective_path(&self) -> OsString {
        self.search_path.clone().or_else(|| std::env::var_os("PATH")).unwrap_or_default()
    }
}
