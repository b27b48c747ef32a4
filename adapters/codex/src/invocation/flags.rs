//! Flags that a version may lack. What its help names is there; a help that was never read proves
//! nothing, and none of the flags asked for here is a hidden one.

use od_sdk::Install;

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
