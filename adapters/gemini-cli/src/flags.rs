//! Flags that a version may lack. What its help names is there; a help that was never read proves
//! nothing, and none of the flags asked for here is a hidden one.

use od_sdk::Install;

/// The help pages that a detection reads.
pub const HELP_PAGES: &[&[&str]] = &[&["--help"]];
/// Gives a new session its id; 0.40.1 has none.
pub const SESSION_ID: &str = "--session-id";

/// The flag that starts a talk: it had another name at first.
pub fn talk(install: &Install) -> &'static str {
    match install.may_have("--acp") {
        true => "--acp",
        false => "--experimental-acp",
    }
}
