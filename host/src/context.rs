//! What every operation of the host needs: options, settings, folders, manifests, telemetry, and the way to find and
//! start an adapter. No agents and no runs: those are the layers above.

mod launch;
mod options;

pub use options::HostOptions;

use std::ffi::OsString;
use std::sync::Arc;

use crate::clock::now_ms;
use crate::discover::manifest_cache::ManifestCache;
use crate::discover::search::{Folder, folders};
use crate::discover::{Adapter, Discovery, Search, pins};
use crate::error::{Failure, HostError};
use crate::files::trust::check_folder;
use crate::home::{OdHome, make_private_folder};
use crate::journal::RunOwner;
use crate::plugin::host_marker::HostMarker;
use crate::plugin::os;
use crate::settings::{Settings, Trust};
use crate::telemetry::Telemetry;

/// The shared state of a host. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct HostContext {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: HostOptions,
    folders: Vec<Folder>,
    settings: Arc<Settings>,
    manifests: Arc<ManifestCache>,
    started_at: u64,
    /// An environment variable of adapter processes: a later host finds orphaned processes by it.
    marker: HostMarker,
    telemetry: Telemetry,
}

impl HostContext {
    /// Creates the home folder if needed, reads the settings, and makes this process the reaper of orphaned
    /// processes.
    ///
    /// # Errors
    /// When the folder cannot be created, the settings cannot be read, or other users can write to them.
    pub(crate) fn open(mut options: HostOptions) -> Result<Self, HostError> {
        prepare_home(&options.home)?;
        let settings = Settings::read(&options.home.settings_file())?;
        for folder in &mut options.adapter_dirs {
            if let Ok(absolute) = std::path::absolute(&*folder) {
                *folder = absolute;
            }
        }
        if let Err(error) = od_os::process::adopt_orphans() {
            tracing::warn!(%error, "orphaned processes of killed adapters cannot be found");
        }
        if let Err(error) = os::raise_file_limit() {
            tracing::warn!(%error, "cannot raise the limit of open files; many concurrent runs may fail");
        }
        let started_at = now_ms();
        let marker = HostMarker::own(options.home.root());
        let manifests = ManifestCache::load(
            options.home.manifest_cache(),
            options.search_path.clone(),
            marker.clone(),
        );
        let shared = Shared {
            folders: folders(&options.adapter_dirs, &options.home, &options.effective_path()),
            manifests: Arc::new(manifests),
            telemetry: Telemetry::start(started_at, &settings.telemetry),
            settings: Arc::new(settings),
            started_at,
            marker,
            options,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    pub(crate) fn home(&self) -> &OdHome {
        &self.shared.options.home
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    pub(crate) fn options(&self) -> &HostOptions {
        &self.shared.options
    }

    pub(crate) fn telemetry(&self) -> &Telemetry {
        &self.shared.telemetry
    }

    /// The owner that run records of this process name.
    pub(crate) fn owner(&self) -> RunOwner {
        RunOwner { pid: std::process::id(), started_at: self.shared.started_at }
    }

    /// The PATH on which adapters and agent CLIs are searched.
    pub(crate) fn search_path(&self) -> OsString {
        self.shared.options.effective_path()
    }

    /// Starts a search for adapters: for all of them, or for one id.
    pub(crate) fn begin_search(&self, id: Option<&str>) -> Search {
        let Shared { folders, manifests, settings, .. } = &*self.shared;
        Search::begin(folders, id, manifests, &pins::with_pins(settings, self.home()))
    }

    /// Finds one adapter by its id.
    ///
    /// # Errors
    /// `_od.agent_unknown` when none has this id, `_od.agent_rejected` when it must not be used.
    pub(crate) async fn adapter(&self, id: &str) -> Result<Adapter, HostError> {
        let mut discovery = self.begin_search(Some(id)).finish().await;
        discovery.adapters.pop().ok_or_else(|| explain_missing(id, discovery))
    }

    /// Which adapters may be executed, including the pins in `trust.json`.
    pub(crate) fn trust(&self) -> Trust {
        pins::with_pins(&self.shared.settings, self.home()).trust.clone()
    }
}

fn prepare_home(home: &OdHome) -> Result<(), HostError> {
    let root = home.root();
    make_private_folder(root).map_err(|error| HostError::file("create", root, &error))?;
    // Who can write to this folder decides which programs run and which clients are let in.
    check_folder(root).map_err(|problem| {
        let text = format!("cannot use the home folder {}: {}", root.display(), problem.reason);
        let hint = format!("{}, or set OD_HOME to another folder", problem.fix);
        HostError::usage(text).with_hint(hint)
    })
}

fn explain_missing(id: &str, discovery: Discovery) -> HostError {
    let rejected = discovery.rejected.into_iter().find(|rejected| {
        rejected.id.as_deref() == Some(id)
            || rejected.path.join(format!("od-adapter-{id}")).exists()
    });
    match rejected {
        Some(rejected) => {
            let text =
                format!("adapter {} is rejected: {}", rejected.path.display(), rejected.reason);
            HostError::new(Failure::AgentRejected, text).with_hint(rejected.fix)
        }
        None => HostError::new(Failure::AgentUnknown, format!("unknown agent {id:?}"))
            .with_hint("list the agents: od-host agents"),
    }
}
