//! A temporary folder with everything a run needs: a home of the host whose settings name the fake CLI, a working
//! folder, and the fake CLI itself.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use od_host::home::OdHome;
use od_host::{Host, HostOptions, RunHandle, RunRequest};
use od_protocol::adapter::StartRunParams;
use tempfile::TempDir;

use super::fake_cli::{Folder, Script};

/// The measured adapter.
pub(super) const AGENT: &str = "claude-code";

/// The temporary folder of the bench.
#[derive(Debug)]
pub(super) struct Stage {
    scratch: TempDir,
    pub(super) adapter_dir: PathBuf,
    pub(super) fake_cli: Folder,
}

impl Stage {
    /// Creates the folder.
    pub(super) fn new(adapter_dir: PathBuf) -> anyhow::Result<Self> {
        let adapter = adapter_dir.join(format!("od-adapter-{AGENT}"));
        if !adapter.is_file() {
            bail!(
                "cannot find {}\nhint: cargo build --release -p od-adapter-{AGENT}",
                adapter.display()
            );
        }
        let scratch = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .context("cannot create a temporary folder")?;
        let bench = std::env::current_exe()?;
        let fake_cli = Folder::create(scratch.path().join("cli"), &bench)
            .context("cannot create the fake CLI")?;
        let stage = Self { scratch, adapter_dir, fake_cli };
        fs::create_dir_all(stage.home())?;
        fs::create_dir_all(stage.workspace())?;
        let program = stage.fake_cli.program();
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

    /// The working folder of the agent.
    pub(super) fn workspace(&self) -> PathBuf {
        self.scratch.path().join("workspace")
    }

    /// A copy of this executable for a helper. Not a link: processes of the same file share its pages, which would reduce
    /// the measured memory.
    pub(super) fn helper_program(&self, name: &str) -> anyhow::Result<PathBuf> {
        let program = self.scratch.path().join(name);
        if !program.exists() {
            fs::copy(std::env::current_exe()?, &program).context("cannot copy the bench")?;
        }
        Ok(program)
    }

    /// Opens a host in this folder.
    pub(super) fn open_host(&self) -> anyhow::Result<Host> {
        open_host(&self.home(), &self.adapter_dir)
    }

    /// Starts a run of a script.
    pub(super) async fn start(&self, host: &Host, script: &Script) -> anyhow::Result<RunHandle> {
        self.fake_cli.write_script(script)?;
        start(host, &self.workspace()).await
    }

    /// The end of a run's journal, for an error message.
    pub(super) fn last_events(&self, run_id: &str) -> String {
        let journal = self.home().join("runs").join(run_id).join("events.jsonl");
        let text = fs::read_to_string(journal).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(3)..].join("\n")
    }

    /// Removes a run, because a long journal has a few hundred megabytes.
    pub(super) fn remove(&self, run_id: &str) -> anyhow::Result<()> {
        fs::remove_dir_all(self.home().join("runs").join(run_id)).context("cannot remove a run")
    }
}

/// Opens a host.
pub(super) fn open_host(home: &Path, adapter_dir: &Path) -> anyhow::Result<Host> {
    let mut options = HostOptions::new(OdHome::at(home.to_owned())?);
    options.adapter_dirs = vec![adapter_dir.to_owned()];
    Ok(Host::open(options)?)
}

/// Starts a run with the current script of the fake CLI.
pub(super) async fn start(host: &Host, workspace: &Path) -> anyhow::Result<RunHandle> {
    let mut params =
        StartRunParams { cwd: workspace.display().to_string(), ..StartRunParams::default() };
    params.prompt.text = "go".to_owned();
    let request = RunRequest { agent: AGENT.to_owned(), params, ..RunRequest::default() };
    Ok(host.start(request).await?)
}
