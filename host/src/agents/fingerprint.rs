//! What a result of detection stands on. While it is the same, the result is good: nobody wants to hear
//! "not installed" for a day after installing something.

use std::collections::BTreeSet;
use std::path::Path;

use od_protocol::DetectAdapterResult;
use sha2::{Digest, Sha256};

use crate::discover::Adapter;
use crate::environment::declared_names;
use crate::host::Host;
use crate::manifest_cache::stamp::{hex, trace};
use crate::settings::Settings;

/// What all adapters stand on, looked at once.
#[derive(Debug)]
pub(super) struct Surroundings<'a> {
    settings: &'a Settings,
    /// PATH, HOME, and when each folder on PATH last changed: installing a CLI changes one.
    common: String,
}

impl<'a> Surroundings<'a> {
    pub(super) fn look(host: &'a Host) -> Self {
        let path = host.search_path();
        let home = std::env::var_os("HOME").unwrap_or_default();
        let folders: BTreeSet<_> = std::env::split_paths(&path).collect();
        let mut common = format!("{}\n{}\n", path.display(), home.display());
        for folder in folders {
            common.push_str(&trace(&folder));
        }
        Self { settings: host.settings(), common }
    }

    /// The fingerprint of one result: the surroundings, the adapter's own bytes, its settings, the
    /// variables it reads, and every file it looked at. Where a link leads counts too, so an upgrade
    /// that only moves a link is seen.
    pub(super) fn of(&self, adapter: &Adapter, detected: Option<&DetectAdapterResult>) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.common);
        hasher.update(format!("{}\n{:?}\n", adapter.sha256, self.settings.agent(&adapter.id)));
        let declared: BTreeSet<String> =
            declared_names(self.settings, &adapter.manifest).into_iter().collect();
        for name in declared {
            // Whether it is set counts, and whether it has changed; the value itself is not kept.
            hasher.update(format!("{name}={:?}\n", std::env::var_os(&name)));
        }
        for subject in detected.map(looked_at).unwrap_or_default() {
            hasher.update(trace(Path::new(subject)));
        }
        hex(&hasher.finalize())
    }
}

/// The files and folders a result names, each once.
fn looked_at(detected: &DetectAdapterResult) -> BTreeSet<&str> {
    let evidence = detected.evidence.iter().map(|evidence| evidence.subject.as_str());
    let named = [&detected.path, &detected.config_dir, &detected.skills_dir];
    evidence
        .chain(named.into_iter().filter_map(|path| path.as_deref()))
        .filter(|subject| Path::new(subject).is_absolute())
        .collect()
}
