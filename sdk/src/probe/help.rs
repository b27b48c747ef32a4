//! Reads the help pages of an agent CLI, once per version of its file.

use std::time::Duration;

use super::cache;
use super::program::{End, Program, run};
use crate::{Flags, Install, Machine};

/// How long one help page may take.
pub const PAGE_LIMIT: Duration = Duration::from_secs(3);

/// Removes the cached help pages of a file: the next [`read_page`] starts the CLI.
pub(crate) fn forget(install: &Install, machine: &Machine) {
    cache::update(machine, &install.path, |answers| answers.help.clear());
}

/// Reads one help page (`["--help"]`, `["exec", "--help"]`), at most once as long as the file is
/// unchanged, and returns the flags of all pages read so far. It starts the agent CLI: call it from
/// a detection only. A run finds the result in [`Install::flags`](crate::Install).
pub fn read_page(
    install: &Install,
    machine: &Machine,
    page: &[&str],
    limit: Duration,
) -> Option<Flags> {
    let key = page.join(" ");
    let mut answers = cache::load(machine, &install.path);
    if answers.help.contains_key(&key) {
        return answers.flags();
    }
    let names = query_page(install, machine, page, limit)?.into_names();
    cache::update(machine, &install.path, |cached| {
        cached.help.insert(key.clone(), names.clone());
    });
    answers.help.insert(key, names);
    answers.flags()
}

/// Returns `None` when the page is incomplete: half a page would deny flags that exist.
fn query_page(
    install: &Install,
    machine: &Machine,
    page: &[&str],
    limit: Duration,
) -> Option<Flags> {
    match run(&Program::cli(install, page, limit), machine) {
        Ok(answer) if matches!(answer.end, End::Exited(_)) => {
            let mut text = String::from_utf8_lossy(&answer.stdout).into_owned();
            text.push('\n');
            text.push_str(&String::from_utf8_lossy(&answer.stderr));
            Some(Flags::parse(&text)).filter(|flags| !flags.is_empty())
        }
        Ok(answer) => {
            tracing::debug!(end = ?answer.end, ?page, "the help page is incomplete");
            None
        }
        Err(error) => {
            tracing::debug!(%error, ?page, "cannot start the agent CLI");
            None
        }
    }
}
