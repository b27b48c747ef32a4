//! Flags that a version may lack. What its help names is there; a help that was never read proves
//! nothing, and none of the flags asked for here is a hidden one.

use od_protocol::StartRunParams;
use od_sdk::Install;
use od_sdk::start_run::AdapterOptions;

use crate::mode::{self, Mode};
use crate::options::Options;

/// Takes features away, plugins among them.
pub(super) const DISABLE: &str = "--disable";
/// Lets the CLI work outside a repository.
pub(super) const SKIP_GIT_CHECK: &str = "--skip-git-repo-check";

/// The help pages that a detection reads.
pub const HELP_PAGES: &[&[&str]] = &[&["app-server", "--help"], &["exec", "--help"]];

/// Whether the CLI has a flag, as far as it is known.
pub(super) fn has(install: &Install, flag: &str) -> bool {
    install.flags.as_ref().is_none_or(|flags| flags.knows(flag))
}

/// What a run does without because the CLI has no flag for it: told, never an error.
pub fn left_out(start_run_params: &StartRunParams, install: &Install) -> Vec<&'static str> {
    let options = Options::lenient(start_run_params);
    let wanted = [
        (DISABLE, options.without_plugins),
        (SKIP_GIT_CHECK, mode::of(&options, install) == Mode::Exec),
    ];
    let missing = wanted.into_iter().filter(|(flag, is_wanted)| *is_wanted && !has(install, flag));
    missing.map(|(flag, _)| flag).collect()
}
