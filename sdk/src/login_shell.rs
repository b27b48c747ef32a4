//! The PATH a person's login shell sets. A host started from a desktop or by a service manager has
//! only the system's; what nvm, Homebrew and the like add is written in the shell's own files, and
//! only the shell can read those.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::probe::ask::{Question, ask as ask_program};
use crate::probe::files;
use crate::{Machine, auth};

/// Longer than a heavy shell configuration takes, short enough for a detection.
pub(crate) const LIMIT: Duration = Duration::from_secs(3);

/// How long an answer, and how long a silence, is remembered.
const ANSWER_MILLISECONDS: u64 = 24 * 60 * 60 * 1000;
const SILENCE_MILLISECONDS: u64 = 10 * 60 * 1000;

/// Shells that understand `-ilc` and the two commands in it.
const KNOWN_SHELLS: &[&str] = &["bash", "zsh", "fish", "ksh", "dash", "sh"];

const FILE_LIMIT: u64 = 256 * 1024;

/// What the shell said, as it is remembered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remembered {
    shell: String,
    /// `None` means that it said nothing useful.
    path: Option<String>,
    asked_at: u64,
}

/// The login shell's PATH as far as it is known without asking.
pub(crate) fn remembered(machine: &Machine) -> Option<String> {
    machine.login_path.clone().or_else(|| read(machine)?.path)
}

/// The login shell's PATH; the shell is asked when nothing recent is remembered or on `refresh`.
pub(crate) fn path(machine: &Machine, refresh: bool, limit: Duration) -> Option<String> {
    let shell = machine.var("SHELL").filter(|shell| is_known(Path::new(shell)))?;
    if !refresh && let Some(remembered) = read(machine).filter(|answer| answer.is_recent()) {
        return remembered.path;
    }
    let path = ask(Path::new(shell), machine, limit);
    write(
        machine,
        &Remembered { shell: shell.to_owned(), path: path.clone(), asked_at: auth::now() },
    );
    path
}

impl Remembered {
    fn is_recent(&self) -> bool {
        let limit = if self.path.is_some() { ANSWER_MILLISECONDS } else { SILENCE_MILLISECONDS };
        let now = auth::now();
        self.asked_at <= now && now - self.asked_at < limit
    }
}

fn is_known(shell: &Path) -> bool {
    let name = shell.file_name().unwrap_or_default().to_string_lossy();
    shell.is_absolute() && KNOWN_SHELLS.contains(&name.as_ref())
}

fn ask(shell: &Path, machine: &Machine, limit: Duration) -> Option<String> {
    // Shell files greet, warn and print prompts; what counts stands between two marks.
    let mark = format!("__od_{}__", std::process::id());
    let script = format!("printf '%s' {mark}; /usr/bin/env -0; printf '%s' {mark}");
    let args = ["-ilc".to_owned(), script].to_vec();
    let question = Question { program: shell, args, path_folders: Vec::new(), limit, cwd: None };
    match ask_program(&question, machine) {
        Ok(answer) => path_between(&String::from_utf8_lossy(&answer.stdout), &mark),
        Err(error) => {
            tracing::debug!(shell = %shell.display(), %error, "the login shell does not start");
            None
        }
    }
}

fn path_between(text: &str, mark: &str) -> Option<String> {
    let (_, rest) = text.split_once(mark)?;
    let (variables, _) = rest.rsplit_once(mark)?;
    let path = variables.split('\0').find_map(|variable| variable.strip_prefix("PATH="))?;
    (!path.is_empty()).then(|| path.to_owned())
}

fn cache_file(machine: &Machine) -> Option<PathBuf> {
    Some(machine.state_dir.as_ref()?.join("login-path.json"))
}

/// An answer of another shell does not count.
fn read(machine: &Machine) -> Option<Remembered> {
    let content = files::read_bounded(&cache_file(machine)?, FILE_LIMIT).ok()?;
    let remembered: Remembered = serde_json::from_slice(&content).ok()?;
    (Some(remembered.shell.as_str()) == machine.var("SHELL")).then_some(remembered)
}

fn write(machine: &Machine, remembered: &Remembered) {
    let Some(file) = cache_file(machine) else { return };
    let written = serde_json::to_vec_pretty(remembered)
        .map_err(std::io::Error::from)
        .and_then(|content| files::replace(&file, &content));
    if let Err(error) = written {
        tracing::warn!(file = %file.display(), %error, "the login shell's PATH is not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_counts() {
        let text = "Welcome!\nPATH=/wrong\0<>HOME=/h\0PATH=/a:/b\0X=1\0<>bye";
        assert_eq!(path_between(text, "<>").as_deref(), Some("/a:/b"));
        assert_eq!(path_between("no marks", "<>"), None);
        assert_eq!(path_between("<>PATH=/a", "<>"), None);
        assert_eq!(path_between("<>PATH=\0<>", "<>"), None);
    }

    #[test]
    fn a_shell_of_another_language_is_not_asked() {
        assert!(is_known(Path::new("/usr/bin/zsh")));
        assert!(!is_known(Path::new("/usr/bin/nu")));
        assert!(!is_known(Path::new("bash")));
    }
}
