//! Reads the version from the `package.json` of the npm package that contains a program.

use std::path::Path;

use serde::Deserialize;

use super::metadata::{Installer, Metadata};
use crate::files;

/// A longer `package.json` is not read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How many folders above the program are searched.
const MAX_DEPTH: usize = 8;

#[derive(Deserialize)]
struct Package {
    version: Option<String>,
    bin: Option<Programs>,
}

/// npm allows both forms.
#[derive(Deserialize)]
#[serde(untagged)]
enum Programs {
    One(String),
    Named(serde_json::Map<String, serde_json::Value>),
}

impl Package {
    fn has_program(&self, folder: &Path, file: &Path) -> bool {
        let is_file = |relative: &str| {
            folder.join(relative).canonicalize().is_ok_and(|program| program == file)
        };
        match &self.bin {
            None => false,
            Some(Programs::One(relative)) => is_file(relative),
            Some(Programs::Named(programs)) => {
                programs.values().filter_map(|relative| relative.as_str()).any(is_file)
            }
        }
    }
}

/// Searches the package upwards from a resolved file. A `package.json` that does not list the file
/// as its program belongs to something else (a bundled dependency, a whole project).
pub(super) fn metadata(file: &Path) -> Option<Metadata> {
    for folder in file.ancestors().skip(1).take(MAX_DEPTH) {
        if folder.file_name().is_some_and(|name| name == "node_modules") {
            return None;
        }
        let source = folder.join("package.json");
        let Some(package) = read(&source) else { continue };
        if package.has_program(folder, file) {
            return Some(Metadata { version: package.version?, installer: Installer::Npm, source });
        }
    }
    None
}

fn read(file: &Path) -> Option<Package> {
    serde_json::from_slice(&files::read_bounded(file, MAX_FILE_BYTES).ok()?).ok()
}
