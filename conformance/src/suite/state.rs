//! The state of one suite run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use od_protocol::{CliTransport, Manifest};
use serde_json::Value;

use crate::adapter_client::AdapterPath;
use crate::check::Tier;
use crate::fake_cli::Script;
use crate::invariants::Violations;
use crate::outcome::Finding;
use crate::pack::{Pack, Values};
use crate::schema::Schema;
use crate::transcript::Location;

/// Variables that an adapter must not pass to its agent CLI, unless its manifest declares them.
const CANARIES: &[&str] = &[
    "AWS_SECRET_ACCESS_KEY",
    "DATABASE_URL",
    "NPM_TOKEN",
    "OD_CONFORMANCE_CANARY",
    "SLACK_BOT_TOKEN",
];

/// Names that resemble allowlisted ones, or that other programs pass on. None of them may reach the
/// agent CLI, unless the manifest declares it.
const LOOK_ALIKES: &[&str] = &[
    "PATH_SECRET",
    "MY_PATH",
    "path",
    "HOMEX",
    "MY_HOME",
    "Home",
    "USERS",
    "USER_TOKEN",
    "LOGNAMES",
    "SHELL_SECRET",
    "LANGUAGE_TOKEN",
    "LC",
    "TZDIR_SECRET",
    "TMPDIR2",
    "HTTP_PROXY_PASSWORD",
    "NO_PROXY_TOKEN",
    "SSL_CERT_FILE_PASSWORD",
    "XDGSECRET",
    "xdg_secret",
    "TERM_PROGRAM",
    "COLORTERM",
    "NO_COLORS",
    "OD_SECRET",
    "NODE_OPTIONS",
    "PYTHONPATH",
    "LD_PRELOAD_SECRET",
    "GIT_SSH_COMMAND",
    "SSH_AUTH_SOCK",
];

/// How many declared variables get look-alikes.
const DECLARED_LOOK_ALIKES: usize = 3;

/// The transcript of the `--manifest` call, in the work folder.
pub const MANIFEST_LOG: &str = "manifest.log";

/// One run of the suite against one adapter.
pub struct Suite {
    /// The adapter.
    pub adapter: AdapterPath,
    /// The parsed manifest; `None` if it could not be parsed, which MAN-01 reports.
    pub manifest: Option<Manifest>,
    /// The manifest as received.
    pub manifest_value: Value,
    /// The fixture pack.
    pub pack: Option<Pack>,
    /// The frozen schema.
    pub schema: Arc<Schema>,
    /// The invariants that were violated so far.
    pub violations: Violations,
    /// The seed of every random value.
    pub seed: u64,
    /// Selects the repetitions and sizes of long checks.
    pub tier: Tier,
    /// The factor for every timeout.
    pub time_factor: f64,
    /// The folder for everything that the suite writes.
    pub work: PathBuf,
    /// The suite's own executable, which is also the fake CLI.
    pub executable: PathBuf,
}

impl Suite {
    /// Returns the location of the `--manifest` call in its transcript.
    pub fn manifest_location(&self) -> Location {
        Location { file: self.work.join(MANIFEST_LOG), line: 1 }
    }

    /// Returns the id from the adapter's file name.
    pub fn adapter_id(&self) -> String {
        adapter_id(&self.adapter.executable)
    }

    /// Returns the file name of the fake CLI.
    pub fn cli_name(&self) -> String {
        let from_pack = self.pack.as_ref().and_then(|pack| pack.settings.cli.name.clone());
        let of_manifest =
            || self.manifest.as_ref().and_then(|manifest| manifest.cli.names.first().cloned());
        from_pack.or_else(of_manifest).unwrap_or_else(|| self.adapter_id())
    }

    /// Returns the fixture pack.
    ///
    /// # Errors
    /// Skip without one.
    pub fn pack(&self) -> Result<&Pack, Finding> {
        self.pack.as_ref().ok_or_else(|| Finding::Skip("no fixture pack was found".to_owned()))
    }

    /// Whether the pack has a scenario.
    pub fn has_scenario(&self, name: &str) -> bool {
        self.pack.as_ref().is_some_and(|pack| pack.has(name))
    }

    /// Returns the script of a scenario with these values.
    ///
    /// # Errors
    /// Skip without a pack, a suite error if the values do not fit.
    pub fn script(&self, scenario: &str, values: &Values) -> Result<Script, Finding> {
        self.pack()?.script(scenario, values).map_err(|error| Finding::Suite(error.to_string()))
    }

    /// Whether the adapter starts an agent CLI, which the fake CLI can replace.
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

    /// Returns variables that an adapter must not pass on, with values that reveal a leak.
    pub fn canaries(&self) -> BTreeMap<String, String> {
        let declared = self.declared_variables();
        let value = |name: &str| format!("canary-{name}-{:x}", self.seed);
        let undeclared = CANARIES.iter().map(|name| (*name).to_owned());
        undeclared
            .filter(|name| !declared.contains(name))
            .chain(self.nesting_markers())
            .map(|name| (name.clone(), value(&name)))
            .collect()
    }

    /// Returns variables whose names resemble allowlisted and declared ones. Every value contains the
    /// mark, and none changes what an interpreter does.
    pub fn look_alikes(&self, mark: &str) -> BTreeMap<String, String> {
        let declared = self.declared_variables();
        let derived = declared.iter().take(DECLARED_LOOK_ALIKES).flat_map(|name| {
            ["_OLD", "X"].map(|end| format!("{name}{end}")).into_iter().chain([format!("X{name}")])
        });
        let names = LOOK_ALIKES.iter().map(|name| (*name).to_owned()).chain(derived);
        let value = |name: &str| match name {
            // Other values would keep node from starting.
            "NODE_OPTIONS" => format!("--title={mark}"),
            _ => format!("{name}-{mark}"),
        };
        names
            .filter(|name| !declared.contains(name) && !od_protocol::environment::crosses(name))
            .map(|name| (name.clone(), value(&name)))
            .collect()
    }

    /// The variables by which the agent CLI detects that it runs inside another one.
    fn nesting_markers(&self) -> Vec<String> {
        self.manifest.as_ref().map(|it| it.requirements.nesting_env.clone()).unwrap_or_default()
    }

    fn declared_variables(&self) -> Vec<String> {
        let Some(manifest) = &self.manifest else { return Vec::new() };
        let required = manifest.requirements.env.iter().map(|variable| variable.name.clone());
        manifest.auth.env.iter().cloned().chain(required).collect()
    }
}

/// Returns the id from an adapter's file name.
pub fn adapter_id(adapter: &Path) -> String {
    let stem = adapter.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_prefix("od-adapter-").unwrap_or(&stem).to_owned()
}
