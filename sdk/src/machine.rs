//! The machine as an adapter may see it, and the agent CLI found on it: plain values, read once, so
//! that detection is a function of them and a test can use its own home folder.

mod flags;
mod install;

pub use flags::Flags;
pub use install::{Install, Secret};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use od_protocol::JsonObject;
use od_protocol::adapter::InitializeParams;
use od_protocol::environment::{FIXED, crosses};

/// The environment, the home folder and the host's configuration.
///
/// ```
/// use od_sdk::Machine;
///
/// let machine = Machine {
///     home: "/home/ada".into(),
///     env: [("ACME_API_KEY".to_owned(), "secret".to_owned())].into(),
///     ..Machine::default()
/// };
/// assert_eq!(machine.var("ACME_API_KEY"), Some("secret"));
/// assert_eq!(machine.var("ACME_HOME"), None);
/// assert_eq!(machine.dir("ACME_HOME", ".acme"), std::path::Path::new("/home/ada/.acme"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// The adapter's environment, which the host has already filtered.
    pub env: BTreeMap<String, String>,
    /// The user's home folder.
    pub home: PathBuf,
    /// `config.cliPath`: used exactly, without a fallback.
    pub cli_path: Option<PathBuf>,
    /// PATH of the login shell, when a detection has queried it. Without it probes use the cached
    /// one.
    pub login_path: Option<String>,
    /// `config.stateDir`: where probes keep their caches. `None` disables the caches.
    pub state_dir: Option<PathBuf>,
    /// `config.options`: the defaults under the `adapterOptions` of every run.
    pub options: JsonObject,
    /// The host can answer approvals.
    pub host_answers_approvals: bool,
}

impl Machine {
    /// Reads this machine; the host's configuration is empty.
    pub fn current() -> Self {
        let env: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            // Names are case-insensitive on Windows (`Path`); lookups use the documented case.
            .map(|(name, value)| match cfg!(windows) {
                true => (name.to_ascii_uppercase(), value),
                false => (name, value),
            })
            .collect();
        let home = etcetera::home_dir().unwrap_or_default();
        Self { env, home, ..Self::default() }
    }

    /// Adds the configuration that the host sent with `initialize`.
    #[must_use]
    pub fn configured(mut self, initialize_params: &InitializeParams) -> Self {
        let config = &initialize_params.config;
        self.cli_path = config.cli_path.as_ref().map(PathBuf::from);
        self.state_dir = config.state_dir.as_ref().map(PathBuf::from);
        self.options = config.options.clone();
        self.host_answers_approvals = initialize_params.capabilities.approvals.is_some();
        self
    }

    /// Adds the variables of one run: credentials in them decide who pays for that run.
    #[must_use]
    pub fn with_env(mut self, env: &BTreeMap<String, String>) -> Self {
        self.env.extend(env.iter().map(|(name, value)| (name.clone(), value.clone())));
        self
    }

    /// Returns a variable that is set and not empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the folder that a variable names, or one below the home folder.
    pub fn dir(&self, variable: &str, below_home: impl AsRef<Path>) -> PathBuf {
        match self.var(variable) {
            Some(value) => PathBuf::from(value),
            None => self.home.join(below_home),
        }
    }

    /// Returns the environment for a started program: variables on the protocol's allowlist and
    /// those that `is_declared`, the fixed ones, and `folders` in front of PATH.
    pub(crate) fn allowed_env(
        &self,
        is_declared: impl Fn(&str) -> bool,
        folders: &[PathBuf],
    ) -> BTreeMap<String, String> {
        let is_allowed = |name: &str| crosses(name) || is_declared(name);
        let mut env: BTreeMap<String, String> = self
            .env
            .iter()
            .filter(|(name, _)| is_allowed(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        env.extend(FIXED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        extend_path(&mut env, folders);
        env
    }
}

/// Puts folders in front of PATH unless PATH has them. In front, because the system's program of
/// the same name (an interpreter) may be too old.
fn extend_path(env: &mut BTreeMap<String, String>, folders: &[PathBuf]) {
    let old = env.get("PATH").cloned().unwrap_or_default();
    // An empty entry would mean the working directory.
    let old: Vec<PathBuf> =
        std::env::split_paths(&old).filter(|entry| !entry.as_os_str().is_empty()).collect();
    let missing = folders.iter().filter(|folder| !old.contains(folder));
    if let Ok(path) = std::env::join_paths(missing.chain(&old))
        && let Ok(path) = path.into_string()
    {
        env.insert("PATH".to_owned(), path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_gets_folders_in_front_without_empty_entries() {
        let extended = |old: Option<&str>| {
            let mut env: BTreeMap<String, String> =
                old.map(|old| ("PATH".to_owned(), old.to_owned())).into_iter().collect();
            extend_path(&mut env, &["/own".into(), "/usr/bin".into()]);
            env.remove("PATH")
        };
        assert_eq!(extended(Some("/usr/bin:/bin")).as_deref(), Some("/own:/usr/bin:/bin"));
        assert_eq!(extended(Some("")).as_deref(), Some("/own:/usr/bin"));
        assert_eq!(extended(None).as_deref(), Some("/own:/usr/bin"));
    }
}
