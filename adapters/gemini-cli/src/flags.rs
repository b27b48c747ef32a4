//! Flags that some versions lack. A flag named in the help exists. Without a help page nothing is
//! known; none of these flags is hidden.

use od_sdk::Install;

/// The help pages that detection reads.
pub const HELP_PAGES: &[&[&str]] = &[&["--help"]];
/// Sets the id of a new session; 0.40.1 lacks it.
pub const SESSION_ID: &str = "--session-id";

/// The flag that selects ACP; early versions use another name.
pub fn acp_flag(install: &Install) -> &'static str {
    match install.may_have("--acp") {
        true => "--acp",
        false => "--experimental-acp",
    }
}
