//! `trust.json`: executables that a client of the API pinned by their sha256, in addition to those in `settings.toml`.
//! Read for every search, so that a change takes effect at once.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::files::trust::{Problem, Rule, check_private};
use crate::files::{read_json, replace_json};
use crate::home::OdHome;
use crate::settings::{Settings, Trust, TrustPolicy};
use crate::sync::lock;

const SHA256_DIGITS: usize = 64;

/// Serialises changes of the file.
static CHANGE_LOCK: Mutex<()> = Mutex::new(());

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    pinned: Vec<String>,
}

/// Returns the settings with the pins of the file added. A file that another user could have written is ignored.
pub(crate) fn with_pins(settings: &Arc<Settings>, home: &OdHome) -> Arc<Settings> {
    let path = home.trust_file();
    let pinned = match read(&path) {
        Ok(pinned) => pinned,
        Err(reason) => {
            tracing::warn!(path = %path.display(), reason, "ignored the pins in trust.json");
            Vec::new()
        }
    };
    if pinned.is_empty() {
        return Arc::clone(settings);
    }
    let mut settings = Settings::clone(settings);
    settings.trust.pinned.extend(pinned);
    settings.trust.pinned.sort();
    settings.trust.pinned.dedup();
    Arc::new(settings)
}

/// Pins an executable by its hash, or removes the pin.
pub(crate) fn set(
    settings: &Settings,
    home: &OdHome,
    sha256: &str,
    trusted: bool,
) -> Result<(), HostError> {
    let sha256 = sha256.to_ascii_lowercase();
    if sha256.len() != SHA256_DIGITS || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(HostError::usage(format!("{sha256:?} is not a sha256 in hex"))
            .with_hint("adapters/list names the sha256 of each adapter"));
    }
    let in_settings = settings.trust.pinned.iter().any(|it| it.eq_ignore_ascii_case(&sha256));
    if !trusted && in_settings {
        let text = format!("{sha256} is pinned in {}", home.settings_file().display());
        return Err(HostError::usage(text).with_hint("remove it from trust.pinned there"));
    }
    let _lock = lock(&CHANGE_LOCK);
    let path = home.trust_file();
    let mut pinned = read(&path).map_err(|reason| {
        let io = std::io::Error::other(reason);
        HostError::file("read", &path, &io)
            .with_hint(format!("check {} and remove it if you did not write it", path.display()))
    })?;
    pinned.retain(|known| *known != sha256);
    if trusted {
        pinned.push(sha256);
    }
    replace_json(&path, &Document { pinned })
        .map_err(|error| HostError::file("write", &path, &error))
}

/// Checks whether the file is usable, for `doctor`. An absent file is.
pub(crate) fn check(home: &OdHome) -> Result<(), String> {
    read(&home.trust_file()).map(|_| ())
}

fn read(path: &Path) -> Result<Vec<String>, String> {
    let Some(Document { pinned }) = read_json(path)? else { return Ok(Vec::new()) };
    check_private(path).map_err(|problem| problem.reason)?;
    Ok(pinned)
}

/// Checks a hash against the pinned ones.
pub(crate) fn check_pin(trust: &Trust, sha256: &str) -> Result<(), Problem> {
    let listed = || trust.pinned.iter().any(|pinned| pinned.eq_ignore_ascii_case(sha256));
    if trust.policy == TrustPolicy::Path || listed() {
        return Ok(());
    }
    Err(Problem {
        rule: Rule::NotPinned,
        reason: format!("its sha256 {sha256} is not pinned"),
        fix: format!(
            "if you trust it, add \"{sha256}\" to trust.pinned in settings.toml, or call adapters/trust"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pinned_policy_requires_a_pin() {
        let mut trust = Trust { policy: TrustPolicy::Path, pinned: vec!["AB12".to_owned()] };
        assert_eq!(check_pin(&trust, "ffff"), Ok(()));
        trust.policy = TrustPolicy::Pinned;
        assert_eq!(check_pin(&trust, "ab12"), Ok(()));
        assert_eq!(check_pin(&trust, "ffff").map_err(|problem| problem.rule), Err(Rule::NotPinned));
    }
}
