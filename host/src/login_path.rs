//! The PATH of a login shell. A desktop, launchd or systemd starts programs with a short PATH that knows
//! nothing of the folders in which people install agent CLIs; a login shell knows them.
//!
//! The login shell's folders come first and in its order, so that the host finds the same programs as the
//! person does in a terminal; folders that only the inherited PATH has come last.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::home::OdHome;
use crate::manifest_cache::replace_json;
use crate::manifest_cache::stamp::{hex, trace};
use crate::run::now_ms;

/// How long a shell may take to read its startup files.
const LIMIT: Duration = Duration::from_secs(3);
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// A shell that does not answer costs its limit once in this time.
const FAILED_MS: u64 = 10 * 60 * 1000;

/// The folders that systems put on PATH by themselves.
const SYSTEM_FOLDERS: [&str; 9] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/usr/local/games",
    "/usr/games",
    "/snap/bin",
];

/// Whether to ask a login shell for its PATH.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LoginPath {
    /// When it is needed: no terminal, and nothing but system folders on PATH.
    #[default]
    Auto,
    /// In any case.
    Always,
    /// Never.
    Never,
}

impl FromStr for LoginPath {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        match text {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            _ => Err(HostError::usage(format!("{text:?} is none of auto, always, never"))),
        }
    }
}

/// How this process was started, as far as PATH is concerned.
#[derive(Debug, Clone, Default)]
pub struct Started {
    /// One of stdin, stdout and stderr is a terminal.
    pub terminal: bool,
    /// The PATH it was given.
    pub path: Option<OsString>,
    /// The person's shell.
    pub shell: Option<PathBuf>,
    /// The person's home folder.
    pub home_dir: Option<PathBuf>,
}

impl Started {
    /// Looks at this process.
    pub fn look() -> Self {
        Self {
            terminal: std::io::stdin().is_terminal()
                || std::io::stdout().is_terminal()
                || std::io::stderr().is_terminal(),
            path: std::env::var_os("PATH"),
            shell: os::shell(),
            home_dir: std::env::var_os("HOME").map(PathBuf::from),
        }
    }

    fn needs_login_path(&self, choice: LoginPath) -> bool {
        match choice {
            LoginPath::Never => false,
            LoginPath::Always => true,
            LoginPath::Auto => !self.terminal && is_bare(self.path.as_deref()),
        }
    }
}

/// What to put into `HostOptions::search_path`: the login shell's PATH with what only the inherited one
/// has after it. `None` means that the inherited PATH is right, or that the shell did not say. May take as
/// long as a shell takes to start, at most three seconds, once a day.
pub fn search_path(choice: LoginPath, started: &Started, home: &OdHome) -> Option<OsString> {
    if !started.needs_login_path(choice) {
        return None;
    }
    let shell = started.shell.as_deref()?;
    let login = remembered_or_asked(shell, started, home)?;
    join(&login, started.path.as_deref())
}

/// PATH is unset or names nothing but system folders.
fn is_bare(path: Option<&OsStr>) -> bool {
    let known = |folder: PathBuf| SYSTEM_FOLDERS.iter().any(|system| folder == Path::new(system));
    path.is_none_or(|path| std::env::split_paths(path).all(known))
}

fn join(login: &OsStr, inherited: Option<&OsStr>) -> Option<OsString> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let login = std::env::split_paths(login).filter(|folder| folder.is_absolute());
    for folder in login.chain(inherited.into_iter().flat_map(std::env::split_paths)) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    std::env::join_paths(folders).ok()
}

/// What the shell said last.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Memory {
    key: String,
    asked_at: u64,
    /// Null when the shell did not say.
    path: Option<String>,
}

fn remembered_or_asked(shell: &Path, started: &Started, home: &OdHome) -> Option<OsString> {
    let file = home.login_path_file();
    let key = key(shell, started);
    let memory = std::fs::read(&file).ok();
    let memory = memory.and_then(|bytes| serde_json::from_slice::<Memory>(&bytes).ok());
    if let Some(memory) = memory.filter(|memory| memory.key == key) {
        let lifetime = if memory.path.is_some() { DAY_MS } else { FAILED_MS };
        if now_ms().saturating_sub(memory.asked_at) < lifetime {
            return memory.path.map(OsString::from);
        }
    }
    let answer = os::ask(shell, started.home_dir.as_deref(), LIMIT);
    if let Err(reason) = &answer {
        tracing::warn!(shell = %shell.display(), reason, "the login shell does not say its PATH");
    }
    let path = answer.ok();
    let text = path.as_ref().map(|path| path.to_str().map(str::to_owned));
    // A PATH that is no UTF-8 is asked for each time.
    if let None | Some(Some(_)) = text {
        let memory = Memory { key, asked_at: now_ms(), path: text.flatten() };
        if let Err(error) = replace_json(&file, &memory) {
            tracing::warn!(path = %file.display(), %error, "cannot remember the login shell's PATH");
        }
    }
    path
}

/// What the answer stands on: the shell and every startup file.
fn key(shell: &Path, started: &Started) -> String {
    let mut hasher = Sha256::new();
    hasher.update(trace(shell));
    for file in os::startup_files(started.home_dir.as_deref()) {
        hasher.update(trace(&file));
    }
    hex(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(terminal: bool, path: Option<&str>) -> Started {
        Started { terminal, path: path.map(OsString::from), ..Started::default() }
    }

    #[test]
    fn a_shell_is_asked_only_where_a_desktop_or_a_service_manager_started_us() {
        let launchd = Some("/usr/bin:/bin:/usr/sbin:/sbin");
        let systemd = Some("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        let person = Some("/home/ada/.local/bin:/usr/bin:/bin");
        let auto = |terminal, path| started(terminal, path).needs_login_path(LoginPath::Auto);
        assert!(auto(false, launchd) && auto(false, systemd) && auto(false, None));
        assert!(!auto(false, person), "somebody has set it up");
        assert!(!auto(true, launchd), "a terminal has the PATH that its person wants");
        assert!(started(true, person).needs_login_path(LoginPath::Always));
        assert!(!started(false, None).needs_login_path(LoginPath::Never));
    }

    #[test]
    #[cfg(unix)]
    fn the_login_shells_order_wins_and_nothing_is_lost() {
        let joined = |login: &str, inherited: &str| join(login.as_ref(), Some(inherited.as_ref()));
        let path = joined("/home/ada/bin:/usr/bin:.:/bin", "/bin:/opt/unit/bin:/usr/bin");
        assert_eq!(path, Some("/home/ada/bin:/usr/bin:/bin:/opt/unit/bin".into()));
    }

    #[test]
    fn the_words_of_the_switch() {
        assert_eq!("auto".parse(), Ok(LoginPath::Auto));
        assert_eq!("always".parse(), Ok(LoginPath::Always));
        assert_eq!("never".parse(), Ok(LoginPath::Never));
        assert!("sometimes".parse::<LoginPath>().is_err());
    }
}
