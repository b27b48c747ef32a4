//! `trust.json`: executables that a client of the API has pinned, beside those in `settings.toml`. Read
//! for every search, so that a change counts at once.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::check_private;
use crate::error::HostError;
use crate::home::OdHome;
use crate::manifest_cache::replace_json;
use crate::settings::Settings;

const SHA256_DIGITS: usize = 64;

/// Two changes at once are made one after the other.
static CHANGING: Mutex<()> = Mutex::new(());

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    pinned: Vec<String>,
}

/// The settings with the pins of the file added. A file that somebody else could have written pins
/// nothing.
pub(crate) fn with_pins(settings: &Arc<Settings>, home: &OdHome) -> Arc<Settings> {
    let path = home.trust_file();
    let pinned = match read(&path) {
        Ok(pinned) => pinned,
        Err(reason) => {
            tracing::warn!(path = %path.display(), reason, "the pins in trust.json do not count");
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

/// Pins an executable by its hash, or takes that back.
///
/// # Errors
/// When it is no hash, when it is pinned in the settings and so cannot be taken back here, or when the
/// file cannot be read or written.
pub(crate) fn set(
    settings: &Settings,
    home: &OdHome,
    sha256: &str,
    trusted: bool,
) -> Result<(), HostError> {
    let sha256 = sha256.to_ascii_lowercase();
    if sha256.len() != SHA256_DIGITS || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(HostError::usage(format!("{sha256:?} is no sha256 in hex"))
            .with_hint("adapters/list names the sha256 of each adapter"));
    }
    let in_settings = settings.trust.pinned.iter().any(|it| it.eq_ignore_ascii_case(&sha256));
    if !trusted && in_settings {
        let text = format!("{sha256} is pinned in {}", home.settings_file().display());
        return Err(HostError::usage(text).with_hint("remove it from trust.pinned there"));
    }
    let _changing = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = home.trust_file();
    let mut pinned = read(&path).map_err(|reason| {
        let io = std::io::Error::other(reason);
        HostError::storage(format!("cannot read {}", path.display()), &io)
            .with_hint(format!("look at {} and remove it if you do not know it", path.display()))
    })?;
    pinned.retain(|known| *known != sha256);
    if trusted {
        pinned.push(sha256);
    }
    replace_json(&path, &Document { pinned })
        .map_err(|error| HostError::storage(format!("cannot write {}", path.display()), &error))
}

/// Whether the file counts, for `doctor`. An absent one does.
pub(crate) fn check(home: &OdHome) -> Result<(), String> {
    read(&home.trust_file()).map(|_| ())
}

fn read(path: &Path) -> Result<Vec<String>, String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    check_private(path).map_err(|problem| problem.reason)?;
    let document: Document =
        serde_json::from_slice(&bytes).map_err(|error| format!("it is damaged: {error}"))?;
    Ok(document.pinned)
}
