//! The front door of the library.

use std::path::PathBuf;
use std::time::Duration;

use crate::agents::{Agent, Refresh};
use crate::control::RunClient;
use crate::discover::Discovery;
use crate::doctor::Check;
use crate::error::HostError;
use crate::home::OdHome;
use crate::journal::{EventReader, RunRecord};
use crate::plugin::Plugin;
use crate::run::{RunHandle, RunRequest};
use crate::settings::Settings;

/// How a host behaves; `HostOptions::new` has the values of the product.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The host's folder.
    pub home: OdHome,
    /// `--adapter-dir`, searched first.
    pub adapter_dirs: Vec<PathBuf>,
    /// How long an adapter may be silent before it is pinged.
    pub silence: Duration,
    /// How long it may take to answer that ping.
    pub ping_limit: Duration,
}

impl HostOptions {
    /// The values of the product.
    pub fn new(home: OdHome) -> Self {
        Self {
            home,
            adapter_dirs: Vec::new(),
            silence: Duration::from_secs(10),
            ping_limit: Duration::from_secs(5),
        }
    }
}

/// The host. Clones share it. Its async methods need a tokio runtime with I/O and time enabled;
/// one thread is enough.
#[derive(Debug, Clone)]
pub struct Host {}

impl Host {
    /// Makes the host's folder if need be, reads the settings, and becomes the process that
    /// inherits what a dead adapter leaves behind.
    ///
    /// # Errors
    /// When the folder cannot be made or the settings cannot be read.
    pub fn open(_options: HostOptions) -> Result<Self, HostError> {
        todo!()
    }

    /// The host's folder.
    pub fn home(&self) -> &OdHome {
        todo!()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        todo!()
    }

    /// Which adapters are there; reads manifests from the cache where it can.
    pub async fn discover(&self) -> Discovery {
        todo!()
    }

    /// What each adapter finds on this machine, in the order of their ids.
    pub async fn agents(&self, _refresh: Refresh) -> Vec<Agent> {
        todo!()
    }

    /// The agent that `auto` means.
    ///
    /// # Errors
    /// When none can run, with what is missing.
    pub async fn auto(&self) -> Result<Agent, HostError> {
        todo!()
    }

    /// Starts one adapter and initialises it, for calls outside a run: `models/list`,
    /// `adapter/health`, `quota/get`, `sessions/list`.
    ///
    /// # Errors
    /// When there is no such agent, or its adapter does not start.
    pub async fn connect(&self, _agent: &str) -> Result<Plugin, HostError> {
        todo!()
    }

    /// Starts a run.
    ///
    /// # Errors
    /// When the request cannot work, the agent is not there, or the adapter refuses. Once this has
    /// succeeded, everything else is told by the events and `done` always comes.
    pub async fn start(&self, _request: RunRequest) -> Result<RunHandle, HostError> {
        todo!()
    }

    /// All runs, the newest first. A run whose host died is closed as failed on the way.
    ///
    /// # Errors
    /// When the folder of runs cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRecord>, HostError> {
        todo!()
    }

    /// One run: by its id, the beginning of it that fits only one, or `last`.
    ///
    /// # Errors
    /// `run_unknown` when none or more than one fits.
    pub fn find_run(&self, _text: &str) -> Result<RunRecord, HostError> {
        todo!()
    }

    /// Reads the events of any run, finished or not, of this process or another.
    ///
    /// # Errors
    /// `run_unknown`, or when the journal cannot be opened.
    pub fn events(&self, _run_id: &str, _from: u64) -> Result<EventReader, HostError> {
        todo!()
    }

    /// A line to the process that owns a run, to cancel, feed or answer it.
    ///
    /// # Errors
    /// When the run is unknown or over.
    pub async fn run_client(&self, _run_id: &str) -> Result<RunClient, HostError> {
        todo!()
    }

    /// Everything that could be wrong.
    pub async fn doctor(&self) -> Vec<Check> {
        todo!()
    }
}
