//! A scratch folder with everything a run needs: a home of the host whose settings name the
//! stand-in, a working folder, and the stand-in itself.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use od_host::home::OdHome;
use od_host::{Host, HostOptions, RunHandle, RunRequest};
use od_protocol::StartRunParams;
use tempfile::TempDir;

use super::stand_in::{Folder, Script};

/// The adapter that is measured.
pub(super) const AGENT: &str = "claude-code";

/// The scratch folder of a bench.
#[derive(Debug)]
pub(super) struct Stage {
    scratch: TempDir,
    pub(super) adapter_dir: PathBuf,
    pub(super) stand_in: Folder,
}

impl Stage {
    /// Sets everything up.
    pub(super) fn new(adapter_dir: PathBuf) -> anyhow::Result<Self> {
        let adapter = adapter_dir.join(format!("od-adapter-{AGENT}"));
        if !adapter.is_file() {
            bail!(
                "there is no {}\nhint: cargo build --release -p od-adapter-{AGENT}",
                adapter.display()
            );
        }
        let scratch = tempfile::Builder::new()
            .prefix("walk-")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .context("cannot make a scratch folder")?;
        let bench = std::env::current_exe()?;
        let stand_in = Folder::create(scratch.path().join("cli"), &bench)
            .context("cannot make the stand-in")?;
        let stage = Self { scratch, adapter_dir, stand_in };
        fs::create_dir_all(stage.home())?;
        fs::create_dir_all(stage.workspace())?;
        let program = stage.stand_in.program();
        let program = program.display().to_string();
        let settings =
            format!("[agents.{AGENT}]\ncliPath = {program:?}\n[serve]\nmaxCallsPerSecond = 0\n");
        fs::write(stage.home().join("settings.toml"), settings)?;
        Ok(stage)
    }

    /// `OD_HOME`.
    pub(super) fn home(&self) -> PathBuf {
        self.scratch.path().join("home")
    }

    /// Where the agent works.
    pub(super) fn workspace(&self) -> PathBuf {
        self.scratch.path().join("workspace")
    }

    /// A copy of this executable for a helper. Not a link: processes of one file share its pages,
    /// which would make the helper look smaller than it is.
    pub(super) fn helper_program(&self, name: &str) -> anyhow::Result<PathBuf> {
        let program = self.scratch.path().join(name);
        if !program.exists() {
            fs::copy(std::env::current_exe()?, &program).context("cannot copy the bench")?;
        }
        Ok(program)
    }

    /// A host on this stage.
    pub(super) fn open_host(&self) -> anyhow::Result<Host> {
        open_host(&self.home(), &self.adapter_dir)
    }

    /// Starts a run that plays a script.
    pub(super) async fn start(&self, host: &Host, script: &Script) -> anyhow::Result<RunHandle> {
        self.stand_in.write_script(script)?;
        start(host, &self.workspace()).await
    }

    /// The end of a run's journal, for an error message.
    pub(super) fn last_events(&self, run_id: &str) -> String {
        let journal = self.home().join("runs").join(run_id).join("events.jsonl");
        let text = fs::read_to_string(journal).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(3)..].join("\n")
    }

    /// Removes the journal of a run: a long one is a few hundred megabytes.
    pub(super) fn forget(&self, run_id: &str) -> anyhow::Result<()> {
        fs::remove_dir_all(self.home().join("runs").join(run_id)).context("cannot remove a run")
    }
}

/// A host on somebody's stage.
pub(super) fn open_host(home: &Path, adapter_dir: &Path) -> anyhow::Result<Host> {
    let mut options = HostOptions::new(OdHome::at(home.to_owned())?);
    options.adapter_dirs = vec![adapter_dir.to_owned()];
    Ok(Host::open(options)?)
}

/// Starts a run that plays whatever the stand-in is told.
pub(super) async fn start(host: &Host, workspace: &Path) -> anyhow::Result<RunHandle> {
    let mut params =
        StartRunParams { cwd: workspace.display().to_string(), ..StartRunParams::default() };
    params.prompt.text = "go".to_owned();
    let request = RunRequest { agent: AGENT.to_owned(), params, ..RunRequest::default() };
    Ok(host.start(request).await?)
}
