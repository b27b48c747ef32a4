//! What all benches of one judgement share: the plugin, its manifest, the pack, the schema, what
//! was found so far.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use od_protocol::{CliTransport, Manifest};
use serde_json::Value;

use crate::case::Tier;
use crate::invariants::Violations;
use crate::pack::Pack;
use crate::plugin::PluginPath;
use crate::schema::Schema;
use crate::transcript::Place;

/// The variables an adapter must keep from its agent CLI, unless its manifest declares them.
const CANARIES: &[&str] = &[
    "AWS_SECRET_ACCESS_KEY",
    "DATABASE_URL",
    "NPM_TOKEN",
    "OD_CONFORMANCE_CANARY",
    "SLACK_BOT_TOKEN",
];

/// The transcript of the call that read the manifest, below the folder of the judgement.
pub const MANIFEST_LOG: &str = "manifest.log";

/// The marks that agents leave for their children; an agent CLI that sees one behaves otherwise.
const NESTING_MARKS: &[&str] = &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"];

/// One judgement of one plugin.
pub struct Suite {
    /// The plugin.
    pub plugin: PluginPath,
    /// What `--manifest` said; `None` when it could not be read, which MAN-01 reports.
    pub manifest: Option<Manifest>,
    /// The same, as it came.
    pub manifest_value: Value,
    /// The fixture pack.
    pub pack: Option<Pack>,
    /// The frozen schema.
    pub schema: Arc<Schema>,
    /// Rules that were broken so far.
    pub violations: Violations,
    /// Decides every random value.
    pub seed: u64,
    /// How much of a check that can be long is done (repetitions, sizes).
    pub tier: Tier,
    /// Factor on every limit of time.
    pub patience: f64,
    /// A folder for everything that is written.
    pub work: PathBuf,
    /// The suite's own executable, which is also the stand-in.
    pub executable: PathBuf,
}

impl Suite {
    /// The transcript of the call that read the manifest.
    pub fn manifest_place(&self) -> Place {
        Place { file: self.work.join(MANIFEST_LOG), line: 1 }
    }

    /// The id the plugin's file name gives it.
    pub fn adapter_id(&self) -> String {
        adapter_id(&self.plugin.executable)
    }

    /// The stand-in's file name.
    pub fn cli_name(&self) -> String {
        let of_pack = self.pack.as_ref().and_then(|pack| pack.settings.cli.name.clone());
        let of_manifest =
            || self.manifest.as_ref().and_then(|manifest| manifest.cli.names.first().cloned());
        of_pack.or_else(of_manifest).unwrap_or_else(|| self.adapter_id())
    }

    /// Whether the adapter drives a process, so that the stand-in can take its place.
    pub fn has_cli(&self) -> bool {
        let embedded = self.pack.as_ref().is_some_and(|pack| pack.settings.cli.embedded);
        let transport = self.manifest.as_ref().map(|manifest| manifest.cli.transport);
        !embedded && transport != Some(CliTransport::Embedded)
    }

    /// Whether the adapter declares a capability; a dotted path reaches into its details.
    pub fn declares(&self, capability: &str) -> bool {
        let start = &self.manifest_value["capabilities"];
        let found = capability.split('.').try_fold(start, |value, name| value.get(name));
        found.is_some_and(|value| !value.is_null() && *value != Value::Bool(false))
    }

    /// Variables that an adapter must not hand on, with values that give a leak away.
    pub fn canaries(&self) -> BTreeMap<String, String> {
        let declared = self.declared_variables();
        let value = |name: &str| format!("canary-{name}-{:x}", self.seed);
        CANARIES
            .iter()
            .chain(NESTING_MARKS)
            .filter(|name| !declared.iter().any(|known| known == *name))
            .map(|name| ((*name).to_owned(), value(name)))
            .collect()
    }

    fn declared_variables(&self) -> Vec<String> {
        let Some(manifest) = &self.manifest else { return Vec::new() };
        let required = manifest.requirements.env.iter().map(|variable| variable.name.clone());
        manifest.auth.env.iter().cloned().chain(required).collect()
    }
}

/// The id that a plugin's file name gives it.
pub fn adapter_id(plugin: &Path) -> String {
    let stem = plugin.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_prefix("od-adapter-").unwrap_or(&stem).to_owned()
}
