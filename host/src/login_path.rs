//! Whether the host uses the PATH of the user's login shell. A desktop, launchd or systemd starts
//! programs with a short PATH that lacks the folders in which people install agent CLIs.
//!
//! The login shell's folders come first and in its order, so that the host finds the same programs
//! as the user does in a terminal; folders that only the inherited PATH has come last. The shell
//! itself is queried in `od_os`.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use od_os::login_shell::{LoginShell, STARTUP_LIMIT, user_shell};
use od_protocol::environment::crosses;

use crate::error::HostError;
use crate::home::OdHome;

/// The folders that systems put on PATH.
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

/// Whether to use the PATH of the login shell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LoginPath {
    /// When it is needed: without a terminal, and with only system folders on PATH.
    #[default]
    Auto,
    /// Always.
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
            _ => Err(HostError::usage(format!("{text:?} is not one of auto, always, never"))),
        }
    }
}

/// The properties of this process that decide about PATH.
#[derive(Debug, Clone, Default)]
pub struct LaunchEnvironment {
    /// One of stdin, stdout and stderr is a terminal.
    pub has_terminal: bool,
    /// The inherited PATH.
    pub path: Option<OsString>,
    /// The user's shell.
    pub shell: Option<PathBuf>,
    /// The user's home folder.
    pub home_dir: Option<PathBuf>,
}

impl LaunchEnvironment {
    /// Inspects this process.
    pub fn current() -> Self {
        Self {
            has_terminal: std::io::stdin().is_terminal()
                || std::io::stdout().is_terminal()
                || std::io::stderr().is_terminal(),
            path: std::env::var_os("PATH"),
            shell: user_shell(),
            home_dir: std::env::var_os("HOME").map(PathBuf::from),
        }
    }

    fn needs_login_path(&self, choice: LoginPath) -> bool {
        match choice {
            LoginPath::Never => false,
            LoginPath::Always => true,
            LoginPath::Auto => !self.has_terminal && is_bare(self.path.as_deref()),
        }
    }
}

/// Returns the value for `HostOptions::search_path`: the login shell's PATH, followed by folders that
/// only the inherited PATH has. `None` means that the inherited PATH is sufficient, or that the shell
/// reported no PATH. Starts the shell at most once a day, for at most three seconds.
pub fn search_path(
    choice: LoginPath,
    environment: &LaunchEnvironment,
    home: &OdHome,
) -> Option<OsString> {
    if !environment.needs_login_path(choice) {
        return None;
    }
    let is_inherited = |name: &OsStr| name.to_str().is_some_and(crosses);
    let shell = LoginShell {
        program: environment.shell.clone()?,
        home: environment.home_dir.clone(),
        env: std::env::vars_os().filter(|(name, _)| is_inherited(name)).collect(),
    };
    let login_path = shell.cached_path(Some(&home.login_path_file()), false, STARTUP_LIMIT)?;
    join(&login_path, environment.path.as_deref())
}

/// Whether PATH is unset or has only system folders.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(has_terminal: bool, path: Option<&str>) -> LaunchEnvironment {
        let path = path.map(OsString::from);
        LaunchEnvironment { has_terminal, path, ..LaunchEnvironment::default() }
    }

    #[test]
    fn auto_needs_shell_only_for_short_path() {
        let launchd = Some("/usr/bin:/bin:/usr/sbin:/sbin");
        let systemd = Some("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        let user = Some("/home/ada/.local/bin:/usr/bin:/bin");
        let auto = |terminal, path| environment(terminal, path).needs_login_path(LoginPath::Auto);
        assert!(auto(false, launchd) && auto(false, systemd) && auto(false, None));
        assert!(!auto(false, user), "PATH has a folder of the user");
        assert!(!auto(true, launchd), "a terminal has the PATH of its user");
        assert!(environment(true, user).needs_login_path(LoginPath::Always));
        assert!(!environment(false, None).needs_login_path(LoginPath::Never));
    }

    #[test]
    #[cfg(unix)]
    fn login_folders_precede_inherited_folders() {
        let joined = |login: &str, inherited: &str| join(login.as_ref(), Some(inherited.as_ref()));
        let path = joined("/home/ada/bin:/usr/bin:.:/bin", "/bin:/opt/unit/bin:/usr/bin");
        assert_eq!(path, Some("/home/ada/bin:/usr/bin:/bin:/opt/unit/bin".into()));
    }

    #[test]
    fn choice_is_parsed() {
        assert_eq!("auto".parse(), Ok(LoginPath::Auto));
        assert_eq!("always".parse(), Ok(LoginPath::Always));
        assert_eq!("never".parse(), Ok(LoginPath::Never));
        assert!("sometimes".parse::<LoginPath>().is_err());
    }
}
