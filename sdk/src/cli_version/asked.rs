//! Asks the agent CLI itself: `--version`, a last resort. Real ones take 0.1 to 16 seconds, so the
//! answer is remembered.

use std::fmt;
use std::time::Duration;

use super::find_in_text;
use crate::auth;
use crate::probe::ask::{Answer, End, Question, ask as ask_program};
use crate::probe::cache::{self, VersionAnswer};
use crate::{Install, Machine};

/// A stub that starts whatever is behind it stays the same file when that is upgraded, so even an
/// unchanged file is asked again after a day.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// Why `--version` brought nothing.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// It could not be started.
    NotStarted(std::io::Error),
    /// It was ended after this time.
    TimedOut(Duration),
    /// It answered, but without a version.
    NoVersion(Option<i32>),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(error) => write!(formatter, "cannot be started: {error}"),
            Self::TimedOut(limit) => {
                write!(formatter, "--version did not end within {:.1} s", limit.as_secs_f32())
            }
            Self::NoVersion(Some(code)) => {
                write!(formatter, "--version names no version and exits with {code}")
            }
            Self::NoVersion(None) => write!(formatter, "--version names no version"),
        }
    }
}

/// Whether a remembered answer is young enough for a detection.
pub(crate) fn is_fresh(answer: &VersionAnswer, now: u64) -> bool {
    let age = now.saturating_sub(answer.asked_at);
    answer.asked_at <= now && u128::from(age) < FRESH.as_millis()
}

/// Runs `--version` and remembers what it said.
pub(crate) fn ask(
    install: &Install,
    machine: &Machine,
    limit: Duration,
) -> Result<String, Unanswered> {
    let question = Question::to_cli(install, &["--version"], limit);
    let answer = ask_program(&question, machine).map_err(Unanswered::NotStarted)?;
    let program = install.path.file_stem().unwrap_or_default().to_string_lossy();
    let Answer { stdout, stderr, end } = answer;
    // Old versions of some CLIs print it on stderr. A failed program's words are complaints.
    let version = match end {
        End::Exited(code) if code != Some(0) => return Err(Unanswered::NoVersion(code)),
        _ => [stdout, stderr]
            .iter()
            .find_map(|bytes| find_in_text(&String::from_utf8_lossy(bytes), &program)),
    };
    match (version, end) {
        (Some(version), _) => {
            let answer = VersionAnswer { version: version.clone(), asked_at: auth::now() };
            cache::remember(machine, &install.path, |answers| answers.version = Some(answer));
            Ok(version)
        }
        (None, End::TimedOut) => Err(Unanswered::TimedOut(limit)),
        (None, End::Flooded) => Err(Unanswered::NoVersion(None)),
        (None, End::Exited(code)) => Err(Unanswered::NoVersion(code)),
    }
}
