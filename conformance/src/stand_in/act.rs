//! The stand-in as a process: plays its script and writes down what it sees.

use std::path::PathBuf;

/// The folder beside which this process finds its script, when it is a stand-in.
pub fn own_folder() -> Option<PathBuf> {
    let folder = std::env::current_exe().ok()?.parent()?.to_owned();
    folder.join(super::script::SCRIPT_FILE).is_file().then_some(folder)
}
