//! Finds the program that a small script starts: npm on Windows and pnpm on every platform write
//! such scripts instead of links.

use std::path::{Path, PathBuf};

use crate::files;

/// A longer script is not a shim.
const MAX_SHIM_BYTES: u64 = 8 * 1024;

/// How the two kinds of script refer to their own folder.
const OWN_FOLDER: &[&str] = &["$basedir", "%~dp0", "%dp0%"];

/// Returns the program that a shim starts; `None` for other scripts.
pub(super) fn target(script: &Path) -> Option<PathBuf> {
    let content = files::read_bounded(script, MAX_SHIM_BYTES).ok()?;
    let relative = target_in(std::str::from_utf8(&content).ok()?)?;
    Some(script.parent()?.join(relative))
}

/// Returns the path after the script's own folder that is inside a `node_modules`.
fn target_in(text: &str) -> Option<String> {
    let starts = OWN_FOLDER
        .iter()
        .flat_map(|name| text.match_indices(name).map(|(index, name)| &text[index + name.len()..]));
    starts
        .filter_map(|rest| rest.split(['"', '\n', ' ']).next())
        .map(|path| path.replace('\\', "/").trim_start_matches('/').to_owned())
        .find(|path| path.contains("node_modules/") && !path.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::target_in;

    #[test]
    fn shims_of_npm_and_pnpm_have_targets() {
        let npm = "@ECHO off\r\nSET \"_prog=node\"\r\n\"%_prog%\"  \
                   \"%dp0%\\node_modules\\@acme\\agent\\cli.js\" %*\r\n";
        assert_eq!(target_in(npm).as_deref(), Some("node_modules/@acme/agent/cli.js"));
        let pnpm = "#!/bin/sh\nif [ -x \"$basedir/node\" ]; then\n  exec \"$basedir/node\"  \
                    \"$basedir/../5/node_modules/x/bin/x.js\" \"$@\"\n";
        assert_eq!(target_in(pnpm).as_deref(), Some("../5/node_modules/x/bin/x.js"));
        assert_eq!(target_in("#!/bin/sh\nexec node /opt/x/cli.js \"$@\"\n"), None);
    }
}
