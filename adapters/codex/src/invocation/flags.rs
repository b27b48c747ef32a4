//! Flags that some versions lack. Detection reads the help pages; before that, every flag is assumed to
//! exist.

/// Disables a feature, such as plugins.
pub(super) const DISABLE: &str = "--disable";
/// Allows a run outside a Git repository.
pub(super) const SKIP_GIT_CHECK: &str = "--skip-git-repo-check";

/// The help pages that detection reads.
pub const HELP_PAGES: &[&[&str]] = &[&["app-server", "--help"], &["exec", "--help"]];
