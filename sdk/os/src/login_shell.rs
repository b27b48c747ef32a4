//! PATH as the user's login shell sets it.
//!
//! A desktop, launchd or systemd starts programs with a short PATH that lacks the folders in which
//! people install agent CLIs. Startup files of the shell add those folders, and only the shell can
//! read them: it is started once, and its answer is cached.

mod cache;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as os;
#[cfg(windows)]
use windows as os;

pub use cache::remembered_path;
pub use os::user_shell;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a shell may take to read its startup files.
pub const STARTUP_LIMIT: Duration = Duration::from_secs(3);

/// Shells that accept `-i -l -c` (csh: `-i -c`) and `echo …; printenv PATH`. Others, such as `nu`,
/// read that as another language and are not started.
const SUPPORTED_SHELLS: &[&str] =
    &["sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh", "csh", "tcsh"];

/// A login shell and what it is started with.
///
/// ```
/// use od_os::login_shell::{LoginShell, STARTUP_LIMIT};
///
/// let shell = LoginShell {
///     program: "/bin/sh".into(),
///     home: None,
///     env: vec![("PATH".into(), "/opt/example/bin:/usr/bin:/bin".into())],
/// };
/// # #[cfg(unix)] {
/// let path = shell.query_path(STARTUP_LIMIT)?;
/// assert!(path.to_string_lossy().contains("/bin"));
/// # }
/// # Ok::<(), od_os::login_shell::QueryError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct LoginShell {
    /// The shell's executable, an absolute path.
    pub program: PathBuf,
    /// The user's home folder: `HOME` and the working directory of the shell.
    pub home: Option<PathBuf>,
    /// The whole environment of the shell. `TERM=dumb` and `OD_LOGIN_PATH=1` are added, so that
    /// startup files can skip prompts and terminal multiplexers.
    pub env: Vec<(OsString, OsString)>,
}

/// Why a shell did not report its PATH.
#[derive(Debug)]
pub enum QueryError {
    /// The program is not a supported shell, or the platform has no login shells.
    Unsupported,
    /// The shell cannot be started.
    NotStarted(std::io::Error),
    /// The shell ended without printing PATH.
    NoPath,
    /// The shell did not answer within this time.
    TimedOut(Duration),
}

impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported => formatter.write_str("not a supported login shell"),
            Self::NotStarted(error) => write!(formatter, "cannot be started: {error}"),
            Self::NoPath => formatter.write_str("printed no PATH"),
            Self::TimedOut(limit) => {
                write!(formatter, "did not answer within {:.1} s", limit.as_secs_f32())
            }
        }
    }
}

impl std::error::Error for QueryError {}

impl LoginShell {
    /// Whether this shell can be queried.
    pub fn is_supported(&self) -> bool {
        let name = self.program.file_name().and_then(OsStr::to_str).unwrap_or_default();
        self.program.is_absolute() && SUPPORTED_SHELLS.contains(&name)
    }

    /// Starts the shell and reads its PATH. Every process the shell started has ended on return.
    ///
    /// # Errors
    /// Why the shell did not report its PATH.
    pub fn query_path(&self, limit: Duration) -> Result<OsString, QueryError> {
        match self.is_supported() {
            true => os::query_path(self, limit),
            false => Err(QueryError::Unsupported),
        }
    }

    /// Returns PATH from the cache file when it is recent, else from the shell. A PATH is recent
    /// for a day, a failure for ten minutes, and only while the shell and its startup files are
    /// unchanged. With `refresh` the cache is not read. Without a file nothing is cached.
    pub fn cached_path(
        &self,
        cache_file: Option<&Path>,
        refresh: bool,
        limit: Duration,
    ) -> Option<OsString> {
        if !self.is_supported() {
            return None;
        }
        let stamp = self.stamp();
        let cached = cache_file.filter(|_| !refresh).and_then(cache::read);
        if let Some(entry) = cached.filter(|entry| entry.is_recent(&self.program, &stamp)) {
            return entry.path.map(OsString::from);
        }
        let path = match self.query_path(limit) {
            Ok(path) => Some(path),
            Err(error) => {
                tracing::warn!(shell = %self.program.display(), %error, "no PATH from the login shell");
                None
            }
        };
        if let Some(file) = cache_file {
            cache::write(file, &self.program, stamp, path.as_deref());
        }
        path
    }

    /// Identifies the shell and the state of every startup file.
    fn stamp(&self) -> String {
        let folders = [self.home.as_deref().map(Path::as_os_str), self.variable("ZDOTDIR")];
        let folders: Vec<&Path> = folders.into_iter().flatten().map(Path::new).collect();
        let mut files = os::startup_files(&folders);
        files.insert(0, self.program.clone());
        cache::stamp(&files)
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        let variable = self.env.iter().find(|(known, _)| known == name);
        variable.map(|(_, value)| value.as_os_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_of_another_language_is_unsupported() {
        let shell = |program: &str| LoginShell { program: program.into(), ..LoginShell::default() };
        assert!(shell("/usr/bin/zsh").is_supported());
        assert!(shell("/bin/tcsh").is_supported());
        assert!(!shell("/usr/bin/nu").is_supported());
        assert!(!shell("bash").is_supported());
        let error = shell("/usr/bin/nu").query_path(STARTUP_LIMIT).expect_err("not started");
        assert!(matches!(error, QueryError::Unsupported));
    }
}
