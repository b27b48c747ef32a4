//! Flags that a version may lack. What its help names is there; a help that was never read proves
//! nothing, and none of the flags asked for here is a hidden one.

/// Takes features away, plugins among them.
pub(super) const DISABLE: &str = "--disable";
/// Lets the CLI work outside a repository.
pub(super) const SKIP_GIT_CHECK: &str = "--skip-git-repo-check";

/// The help pages that a detection reads.
pub const HELP_PAGES: &[&[&str]] = &[&["app-server", "--help"], &["exec", "--help"]];
