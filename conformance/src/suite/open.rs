//! Opens a suite run: finds the adapter, reads its manifest and loads its pack.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use od_protocol::Manifest;
use serde_json::Value;

use super::{MANIFEST_LOG, Suite};
use crate::adapter_client::{AdapterPath, base_env, run_to_end};
use crate::check::Tier;
use crate::invariants::Violations;
use crate::pack::{self, Pack, PackError};
use crate::process;
use crate::schema::Schema;
use crate::transcript::Transcript;

/// The timeout of `--manifest` before the run; MAN-02 has its own timeout.
const MANIFEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The options of a suite run.
#[derive(Debug, Clone)]
pub struct SuiteOptions {
    /// The adapter.
    pub adapter: AdapterPath,
    /// The folder of its pack; `None` searches for it.
    pub pack: Option<PathBuf>,
    /// The seed of every random value.
    pub seed: u64,
    /// The selected tier.
    pub tier: Tier,
    /// The factor for every timeout.
    pub time_factor: f64,
    /// An empty folder for everything that the suite writes.
    pub work: PathBuf,
    /// The suite's own executable (see [`copy_own_executable`]).
    pub executable: PathBuf,
}

/// Why a suite run cannot start.
#[derive(Debug)]
pub enum SuiteError {
    /// The adapter does not exist or cannot be started.
    Adapter(String),
    /// The pack cannot be used.
    Pack(PackError),
    /// An I/O error of the suite.
    Suite(std::io::Error),
}

impl From<std::io::Error> for SuiteError {
    fn from(error: std::io::Error) -> Self {
        Self::Suite(error)
    }
}

/// Opens a suite run.
///
/// # Errors
/// When the adapter cannot be started or the pack cannot be used.
pub fn open(options: SuiteOptions) -> Result<Suite, SuiteError> {
    let SuiteOptions { mut adapter, pack, seed, tier, time_factor, work, executable } = options;
    adapter.executable = std::path::absolute(&adapter.executable)?;
    let manifest_value = read_manifest(&adapter, &work, time_factor)?;
    let manifest: Option<Manifest> = serde_json::from_value(manifest_value.clone()).ok();
    let mut suite = Suite {
        adapter,
        manifest,
        manifest_value,
        pack: None,
        schema: Arc::new(Schema::frozen()),
        violations: Violations::of_adapter(),
        seed,
        tier,
        time_factor,
        work,
        executable,
    };
    let folder = pack.or_else(|| pack::find(&suite.adapter.executable, &suite.adapter_id()));
    suite.pack = folder.map(|folder| Pack::load(&folder)).transpose().map_err(SuiteError::Pack)?;
    Ok(suite)
}

/// Returns the manifest; null if it cannot be parsed, which MAN-01 reports.
fn read_manifest(
    adapter: &AdapterPath,
    work: &Path,
    time_factor: f64,
) -> Result<Value, SuiteError> {
    let home = work.join("manifest-home");
    std::fs::create_dir_all(home.join("tmp"))?;
    let env = base_env(&home, process::SYSTEM_PATH);
    let limit = MANIFEST_TIMEOUT.mul_f64(time_factor);
    let captured = run_to_end(adapter, &["--manifest"], &env, &home, limit).map_err(|error| {
        SuiteError::Adapter(format!("{} cannot be started: {error}", adapter.executable.display()))
    })?;
    captured.write_to(&Transcript::create(&work.join(MANIFEST_LOG))?, &["--manifest"]);
    Ok(serde_json::from_slice(&captured.stdout).unwrap_or_default())
}

/// Copies the suite's executable into a folder. Fake CLIs and mutants are linked to the copy,
/// because the original may be replaced while the suite is running.
///
/// # Errors
/// When it can be neither linked nor copied.
pub fn copy_own_executable(work: &Path) -> std::io::Result<PathBuf> {
    let folder = work.join("suite");
    std::fs::create_dir_all(&folder)?;
    let copy = folder.join(process::executable_name("conformance"));
    let original = std::env::current_exe()?;
    if std::fs::hard_link(&original, &copy).is_err() {
        std::fs::copy(&original, &copy)?;
    }
    Ok(copy)
}
