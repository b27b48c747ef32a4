//! The PATH of an agent CLI that is installed on this machine.

use std::path::Path;

use super::SYSTEM_PATH;

/// Returns this process's PATH with the agent CLI's folder first: many agent CLIs need an
/// interpreter from there.
pub fn own_search_path(cli: &Path) -> String {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let folders = cli.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&own));
    std::env::join_paths(folders)
        .map_or_else(|_| SYSTEM_PATH.to_owned(), |path| path.to_string_lossy().into_owned())
}
