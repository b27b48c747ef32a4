//! Starts and ends an adapter process.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::connection::Connection;
use super::inbox::Inbox;
use crate::fake_cli::FakeCli;
use crate::invariants::InvariantChecker;
use crate::outcome::Finding;
use crate::process;
use crate::transcript::Transcript;

/// The adapter under test.
#[derive(Debug, Clone)]
pub struct AdapterPath {
    /// Its executable.
    pub executable: PathBuf,
    /// Arguments before `--manifest` and `--stdio`; the suite's own mutants receive their fault
    /// this way.
    pub arguments: Vec<String>,
}

/// How an adapter process is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its complete environment.
    pub env: BTreeMap<String, String>,
    /// Its working folder.
    pub cwd: PathBuf,
    /// `--stdio`, unless a check needs other arguments.
    pub arguments: Vec<String>,
    /// The factor for every timeout.
    pub time_factor: f64,
    /// Values that must not appear in any message of the adapter.
    pub secrets: Vec<String>,
}

/// A running adapter process with everything it has sent.
pub struct AdapterClient {
    /// The agent CLI that it uses.
    pub fake_cli: FakeCli,
    /// Its home folder.
    pub home: PathBuf,
    /// Values that must not appear in any message.
    pub secrets: Vec<String>,
    connection: Connection<Inbox>,
}

impl AdapterClient {
    /// Starts an adapter process without sending anything.
    pub fn start(
        adapter: &AdapterPath,
        launch: &Launch,
        fake_cli: FakeCli,
        transcript: Transcript,
        checker: InvariantChecker,
    ) -> Result<Self, Finding> {
        let mut command = Command::new(&adapter.executable);
        command
            .args(&adapter.arguments)
            .args(&launch.arguments)
            .env_clear()
            .envs(&launch.env)
            .current_dir(&launch.cwd);
        let mut checker = checker;
        checker.add_secrets(&launch.secrets);
        let inbox = Inbox::new(checker);
        let connection = Connection::start(&mut command, transcript, launch.time_factor, inbox)?;
        Ok(Self {
            fake_cli,
            home: launch.env.get("HOME").map(PathBuf::from).unwrap_or_default(),
            secrets: launch.secrets.clone(),
            connection,
        })
    }

    /// Kills the process and everything it started.
    pub fn kill(&mut self) {
        self.connection.kill();
        self.fake_cli.processes().into_iter().for_each(process::kill);
    }
}

impl Deref for AdapterClient {
    type Target = Connection<Inbox>;

    fn deref(&self) -> &Self::Target {
        &self.connection
    }
}

impl DerefMut for AdapterClient {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.connection
    }
}

impl Drop for AdapterClient {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the environment variables that every host passes to an adapter.
pub fn base_env(home: &Path, path: &str) -> BTreeMap<String, String> {
    let home = home.to_string_lossy().into_owned();
    let mut env = BTreeMap::from([
        ("PATH".to_owned(), path.to_owned()),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
        ("TMPDIR".to_owned(), format!("{home}/tmp")),
    ]);
    if cfg!(windows) {
        env.insert("USERPROFILE".to_owned(), home.clone());
        env.extend(std::env::var("SystemRoot").map(|root| ("SystemRoot".to_owned(), root)));
    }
    env.insert("HOME".to_owned(), home);
    env
}
