//! The machine as an adapter may see it: values taken once, so that detection is a function of
//! them and a test can make up a home.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use od_protocol::{Credential, Evidence, InitializeParams, JsonObject, TestedVersion};

use crate::help::Flags;

/// The environment, the home folder and the host's configuration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// The adapter's own environment (already the host's allowlist).
    pub env: BTreeMap<String, String>,
    /// The person's home folder.
    pub home: PathBuf,
    /// `config.cliPath`: used exactly, with no fallback.
    pub cli_path: Option<PathBuf>,
    /// The PATH a login shell sets, when it was asked; without it probes use what they remember.
    pub login_path: Option<String>,
    /// `config.stateDir`: where probes keep their caches; `None` means keep nothing.
    pub state_dir: Option<PathBuf>,
    /// `config.options`.
    pub options: JsonObject,
    /// Somebody answers approvals.
    pub host_answers_approvals: bool,
}

impl Machine {
    /// This machine, before the host has said anything.
    pub fn current() -> Self {
        let env: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            // Windows does not tell `Path` from `PATH`; we look them up as they are documented.
            .map(|(name, value)| match cfg!(windows) {
                true => (name.to_ascii_uppercase(), value),
                false => (name, value),
            })
            .collect();
        let home = etcetera::home_dir().unwrap_or_default();
        Self { env, home, ..Self::default() }
    }

    /// With what the host said in `initialize`.
    #[must_use]
    pub fn configured(mut self, initialize_params: &InitializeParams) -> Self {
        let config = &initialize_params.config;
        self.cli_path = config.cli_path.as_ref().map(PathBuf::from);
        self.state_dir = config.state_dir.as_ref().map(PathBuf::from);
        self.options = config.options.clone();
        self.host_answers_approvals = initialize_params.capabilities.approvals.is_some();
        self
    }

    /// With the variables of one run on top: the login that counts is the spawned one's.
    #[must_use]
    pub fn with_env(mut self, env: &BTreeMap<String, String>) -> Self {
        self.env.extend(env.iter().map(|(name, value)| (name.clone(), value.clone())));
        self
    }

    /// A variable that is set and not empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A folder named by a variable, or one below the home folder.
    pub fn dir(&self, variable: &str, below_home: impl AsRef<Path>) -> PathBuf {
        match self.var(variable) {
            Some(value) => PathBuf::from(value),
            None => self.home.join(below_home),
        }
    }
}

/// A fresh secret for one run: the password of a server that nobody else shall talk to. Never shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A new one, which nobody can guess.
    pub fn fresh() -> Self {
        Self(uuid::Uuid::new_v4().simple().to_string())
    }

    /// The secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret")
    }
}

/// An agent CLI that was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Install {
    /// The file that is started.
    pub path: PathBuf,
    /// Arguments that come before all others (an embedded agent's switch).
    pub leading_args: Vec<String>,
    /// Folders the CLI needs on its PATH besides its own.
    pub extra_path: Vec<PathBuf>,
    /// Its version, when the install's own metadata or the cache tells.
    pub version: Option<String>,
    /// Against the version the adapter was tested with.
    pub tested_version: Option<TestedVersion>,
    /// The flags its `--help` names, when they were probed before.
    pub flags: Option<Flags>,
    /// What was looked at to find it.
    pub evidence: Vec<Evidence>,
    /// Who would pay.
    pub credential: Option<Credential>,
    /// Somebody answers approvals; without it nothing may ask.
    pub host_answers_approvals: bool,
    /// A secret of this run alone, the same for its invocation and its mapper.
    pub secret: Secret,
}

impl Install {
    /// Whether the CLI has a flag, as far as it is known: a help that was never read proves nothing.
    /// Never ask so for a hidden flag.
    pub fn may_have(&self, flag: &str) -> bool {
        self.flags.as_ref().is_none_or(|flags| flags.knows(flag))
    }

    /// The folders an agent CLI that was found outside PATH needs there: its own, because a script's
    /// interpreter sits beside it, and the further ones.
    pub fn path_folders(&self) -> Vec<PathBuf> {
        let own = self.path.parent().filter(|folder| folder.is_absolute()).map(Path::to_owned);
        own.into_iter().chain(self.extra_path.iter().cloned()).collect()
    }
}
