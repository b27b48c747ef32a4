//! What a result of detection stands on. While it is the same, the result is good: nobody wants to hear
//! "not installed" for a day after installing something.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::UNIX_EPOCH;

use od_protocol::DetectAdapterResult;
use sha2::{Digest, Sha256};

use crate::discover::Adapter;
use crate::environment::declared_names;
use crate::settings::Settings;

/// What all adapters stand on, looked at once.
#[derive(Debug)]
pub(super) struct Surroundings {
    settings: Settings,
    /// PATH, HOME, and when each folder on PATH last changed: installing a CLI changes one.
    common: String,
}

impl Surroundings {
    pub(super) fn look(settings: &Settings) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let home = std::env::var_os("HOME").unwrap_or_default();
        let folders: BTreeSet<_> = std::env::split_paths(&path).collect();
        let mut common = format!("{}\n{}\n", path.display(), home.display());
        for folder in folders {
            common.push_str(&changed(&folder));
        }
        Self { settings: settings.clone(), common }
    }

    /// The fingerprint of one result.
    pub(super) fn of(&self, adapter: &Adapter, detected: Option<&DetectAdapterResult>) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.common);
        hasher.update(format!("{}\n{:?}\n", adapter.sha256, self.settings.agent(&adapter.id)));
        let declared: BTreeSet<String> =
            declared_names(&self.settings, &adapter.manifest).into_iter().collect();
        for name in declared {
            // Whether it is set counts, and whether it has changed; the value itself is not kept.
            hasher.update(format!("{name}={:?}\n", std::env::var_os(&name)));
        }
        let evidence = detected.map(|detected| detected.evidence.as_slice()).unwrap_or_default();
        let looked_at = evidence.iter().map(|evidence| evidence.subject.as_str());
        for subject in looked_at.chain(detected.and_then(|detected| detected.path.as_deref())) {
            if Path::new(subject).is_absolute() {
                hasher.update(changed(Path::new(subject)));
            }
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// When a file or folder last changed; it may also be absent.
fn changed(path: &Path) -> String {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {modified:?}\n", path.display())
}
