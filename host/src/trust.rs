//! Which files may be executed: nobody but the user or root can have put them there, and with the
//! policy `pinned` their hash is on the user's list.

pub(crate) mod pins;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{check_file, check_folder, check_private};
#[cfg(windows)]
pub(crate) use windows::{check_file, check_folder, check_private};

use crate::discover::Rule;
use crate::settings::{Trust, TrustPolicy};

/// Why a file or folder is not trusted, and what mends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) rule: Rule,
    pub(crate) reason: String,
    pub(crate) fix: String,
}

/// Holds a hash against the user's list.
pub(crate) fn check_pin(trust: &Trust, sha256: &str) -> Result<(), Problem> {
    let listed = || trust.pinned.iter().any(|pinned| pinned.eq_ignore_ascii_case(sha256));
    if trust.policy == TrustPolicy::Path || listed() {
        return Ok(());
    }
    Err(Problem {
        rule: Rule::NotPinned,
        reason: format!("its sha256 {sha256} is not on the list of pinned adapters"),
        fix: format!(
            "if you trust it, add \"{sha256}\" to trust.pinned in settings.toml, or call adapters/trust"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_asked_for_only_by_the_policy() {
        let mut trust = Trust { policy: TrustPolicy::Path, pinned: vec!["AB12".to_owned()] };
        assert_eq!(check_pin(&trust, "ffff"), Ok(()));
        trust.policy = TrustPolicy::Pinned;
        assert_eq!(check_pin(&trust, "ab12"), Ok(()));
        assert_eq!(check_pin(&trust, "ffff").map_err(|problem| problem.rule), Err(Rule::NotPinned));
    }
}
