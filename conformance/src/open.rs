//! Opening a judgement: the plugin is looked at, its manifest read, its pack found.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use od_protocol::Manifest;
use serde_json::Value;

use crate::case::Tier;
use crate::invariants::Violations;
use crate::pack::{self, Pack, PackError};
use crate::plugin::{PluginPath, base_env, run_to_end};
use crate::process;
use crate::schema::Schema;
use crate::suite::{MANIFEST_LOG, Suite};
use crate::transcript::Transcript;

/// How long a manifest is waited for before the judgement; MAN-02 has its own limit.
const MANIFEST_LIMIT: Duration = Duration::from_secs(10);

/// What a judgement is opened with.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The plugin.
    pub plugin: PluginPath,
    /// Where its pack is; `None` means: look for it.
    pub pack: Option<PathBuf>,
    /// Decides every random value.
    pub seed: u64,
    /// How much time to take.
    pub tier: Tier,
    /// Factor on every limit of time.
    pub patience: f64,
    /// An empty folder for everything that is written.
    pub work: PathBuf,
    /// The suite's own executable (see [`own_executable`]).
    pub executable: PathBuf,
}

/// Why a judgement cannot be opened.
#[derive(Debug)]
pub enum OpenError {
    /// The plugin is not there or cannot be started.
    Plugin(String),
    /// The pack cannot be used.
    Pack(PackError),
    /// Something of the suite or the machine.
    Suite(std::io::Error),
}

impl From<std::io::Error> for OpenError {
    fn from(error: std::io::Error) -> Self {
        Self::Suite(error)
    }
}

/// Opens a judgement.
///
/// # Errors
/// When the plugin cannot be started, or the pack cannot be used.
pub fn open(options: OpenOptions) -> Result<Suite, OpenError> {
    let OpenOptions { mut plugin, pack, seed, tier, patience, work, executable } = options;
    plugin.executable = std::path::absolute(&plugin.executable)?;
    let manifest_value = read_manifest(&plugin, &work, patience)?;
    let manifest: Option<Manifest> = serde_json::from_value(manifest_value.clone()).ok();
    let mut suite = Suite {
        plugin,
        manifest,
        manifest_value,
        pack: None,
        schema: Arc::new(Schema::frozen()),
        violations: Violations::default(),
        seed,
        tier,
        patience,
        work,
        executable,
    };
    let folder = pack.or_else(|| pack::find(&suite.plugin.executable, &suite.adapter_id()));
    suite.pack = folder.map(|folder| Pack::load(&folder)).transpose().map_err(OpenError::Pack)?;
    Ok(suite)
}

/// What `--manifest` says; null when it says nothing that can be read, which MAN-01 reports.
fn read_manifest(plugin: &PluginPath, work: &Path, patience: f64) -> Result<Value, OpenError> {
    let home = work.join("manifest-home");
    std::fs::create_dir_all(home.join("tmp"))?;
    let env = base_env(&home, process::SYSTEM_PATH);
    let limit = MANIFEST_LIMIT.mul_f64(patience);
    let captured = run_to_end(plugin, &["--manifest"], &env, &home, limit).map_err(|error| {
        OpenError::Plugin(format!("{} cannot be started: {error}", plugin.executable.display()))
    })?;
    captured.write_down(&Transcript::create(&work.join(MANIFEST_LOG))?, &["--manifest"]);
    Ok(serde_json::from_slice(&captured.stdout).unwrap_or_default())
}

/// A copy of the suite's executable in a folder, which stand-ins and mutants are linked to: the
/// original may be replaced while the suite is at work.
///
/// # Errors
/// When it can be neither linked nor copied.
pub fn own_executable(work: &Path) -> std::io::Result<PathBuf> {
    let folder = work.join("suite");
    std::fs::create_dir_all(&folder)?;
    let copy = folder.join(process::executable_name("conformance"));
    let original = std::env::current_exe()?;
    if std::fs::hard_link(&original, &copy).is_err() {
        std::fs::copy(&original, &copy)?;
    }
    Ok(copy)
}
