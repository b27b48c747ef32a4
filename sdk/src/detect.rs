//! What `adapter/detect` answers.

use od_protocol::DetectAdapterResult;

use crate::{Adapter, Machine};

/// What is installed here. Not installed is a result, not an error.
pub fn detect(
    adapter: &(impl Adapter + ?Sized),
    machine: &Machine,
    _refresh: bool,
) -> DetectAdapterResult {
    let manifest = adapter.manifest();
    let located = adapter.locate(machine);
    DetectAdapterResult {
        installed: located.is_ok(),
        path: located.as_ref().ok().map(|install| install.path.display().to_string()),
        version: located.as_ref().ok().and_then(|install| install.version.clone()),
        meets_min: None,
        tested_version: None,
        config_dir: None,
        skills_dir: None,
        auth: adapter.auth(machine),
        evidence: Vec::new(),
        capabilities: manifest.capabilities,
        guidance: located.err().and_then(|error| error.hint().map(str::to_owned)),
    }
}
