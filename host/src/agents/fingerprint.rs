//! What a detection result depends on. While the fingerprint is the same, the result is valid: a CLI installed a minute
//! ago must not be reported as "not installed" for a day.

use std::collections::BTreeSet;
use std::path::Path;

use od_protocol::adapter::DetectAdapterResult;
use sha2::{Digest, Sha256};

use crate::context::HostContext;
use crate::discover::Adapter;
use crate::environment::declared_names;
use crate::files::stamp::{hex, trace};
use crate::settings::Settings;

/// What the results of all adapters depend on, read once.
#[derive(Debug)]
pub(super) struct DetectionInputs<'a> {
    settings: &'a Settings,
    /// PATH, HOME, and the stamp of each folder on PATH: installing a CLI changes one of them.
    common: String,
}

impl<'a> DetectionInputs<'a> {
    pub(super) fn read(context: &'a HostContext) -> Self {
        let path = context.search_path();
        let home = std::env::var_os("HOME").unwrap_or_default();
        let folders: BTreeSet<_> = std::env::split_paths(&path).collect();
        let mut common = format!("{}\n{}\n", path.display(), home.display());
        for folder in folders {
            common.push_str(&trace(&folder));
        }
        Self { settings: context.settings(), common }
    }

    /// The fingerprint of one result: the inputs, the hash of the adapter, its settings, the variables it reads,
    /// and every file it inspected. The target of a link counts too, so an upgrade that only moves a link changes it.
    pub(super) fn of(&self, adapter: &Adapter, detected: Option<&DetectAdapterResult>) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.common);
        hasher.update(format!("{}\n{:?}\n", adapter.sha256, self.settings.agent(&adapter.id)));
        let declared: BTreeSet<String> =
            declared_names(self.settings, &adapter.manifest).into_iter().collect();
        for name in declared {
            // Only the hash is stored, never the value.
            hasher.update(format!("{name}={:?}\n", std::env::var_os(&name)));
        }
        for subject in detected.map(inspected_paths).unwrap_or_default() {
            hasher.update(trace(Path::new(subject)));
        }
        hex(&hasher.finalize())
    }
}

/// The absolute paths that a result names, each once.
fn inspected_paths(detected: &DetectAdapterResult) -> BTreeSet<&str> {
    let evidence = detected.evidence.iter().map(|evidence| evidence.subject.as_str());
    let named = [&detected.path, &detected.config_dir, &detected.skills_dir];
    evidence
        .chain(named.into_iter().filter_map(|path| path.as_deref()))
        .filter(|subject| Path::new(subject).is_absolute())
        .collect()
}
