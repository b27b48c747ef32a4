//! Reads the version with `--version`, a last resort: it takes real agent CLIs 0.1 to 16 seconds, so
//! the answer is cached.

use std::fmt;
use std::time::Duration;

use super::find_in_text;
use crate::probe::cache::{self, VersionAnswer};
use crate::probe::program::{Answer, End, Program, run};
use crate::{Install, Machine, auth};

/// A launcher stays the same file when the program behind it is updated, so even an unchanged file
/// is queried again after a day.
const ANSWER_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Why `--version` returned no version.
#[derive(Debug)]
pub(crate) enum QueryError {
    /// The CLI cannot be started.
    NotStarted(std::io::Error),
    /// It was killed after this time.
    TimedOut(Duration),
    /// Its output has no version.
    NoVersion(Option<i32>),
}

impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(error) => write!(formatter, "cannot be started: {error}"),
            Self::TimedOut(limit) => {
                write!(formatter, "--version did not end within {:.1} s", limit.as_secs_f32())
            }
            Self::NoVersion(Some(code)) => {
                write!(formatter, "--version prints no version and exits with {code}")
            }
            Self::NoVersion(None) => write!(formatter, "--version prints no version"),
        }
    }
}

/// Whether a cached answer is recent enough for a detection.
pub(crate) fn is_recent(answer: &VersionAnswer, now: u64) -> bool {
    let age = now.saturating_sub(answer.asked_at);
    answer.asked_at <= now && u128::from(age) < ANSWER_LIFETIME.as_millis()
}

/// Runs `--version` and caches the answer.
pub(crate) fn query(
    install: &Install,
    machine: &Machine,
    limit: Duration,
) -> Result<String, QueryError> {
    let program = Program::cli(install, &["--version"], limit);
    let Answer { stdout, stderr, end } = run(&program, machine).map_err(QueryError::NotStarted)?;
    let name = install.path.file_stem().unwrap_or_default().to_string_lossy();
    // Old versions of some CLIs print it on stderr. The output of a failed program is an error text.
    let version = match end {
        End::Exited(code) if code != Some(0) => return Err(QueryError::NoVersion(code)),
        _ => [stdout, stderr]
            .iter()
            .find_map(|bytes| find_in_text(&String::from_utf8_lossy(bytes), &name)),
    };
    match (version, end) {
        (Some(version), _) => {
            let answer = VersionAnswer { version: version.clone(), asked_at: auth::now() };
            cache::update(machine, &install.path, |answers| answers.version = Some(answer));
            Ok(version)
        }
        (None, End::TimedOut) => Err(QueryError::TimedOut(limit)),
        (None, End::Flooded) => Err(QueryError::NoVersion(None)),
        (None, End::Exited(code)) => Err(QueryError::NoVersion(code)),
    }
}
