//! Reads the version from the `dist-info` of the Python distribution that contains a console script:
//! the layout of pipx, uv, virtual environments and `pip install --user`.

use std::path::{Path, PathBuf};

use super::metadata::{Installer, Metadata};
use crate::files;

/// A longer list of programs is not read.
const MAX_ENTRY_POINTS_BYTES: u64 = 256 * 1024;

/// Searches the distribution that installed a resolved script.
pub(super) fn metadata(script: &Path) -> Option<Metadata> {
    let prefix = script.parent()?.parent()?;
    let is_python = prefix.join("pyvenv.cfg").exists()
        || files::read_beginning(script, 512).lines().take(3).any(|line| line.contains("python"));
    if !is_python {
        return None;
    }
    let name = script.file_stem()?.to_str()?;
    let distributions = package_folders(prefix).into_iter().flat_map(|folder| entries(&folder));
    distributions
        .filter(|folder| folder.extension().is_some_and(|extension| extension == "dist-info"))
        .filter(|folder| installs_program(folder, name))
        .find_map(of_distribution)
}

/// `lib/python3.12/site-packages` and its relatives (`dist-packages` on Debian, `Lib` on Windows).
fn package_folders(prefix: &Path) -> Vec<PathBuf> {
    let mut folders = vec![prefix.join("Lib/site-packages")];
    for library in entries(&prefix.join("lib")) {
        let is_python =
            library.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
        if is_python {
            folders.extend(["site-packages", "dist-packages"].map(|name| library.join(name)));
        }
    }
    folders
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Whether `[console_scripts]` of a distribution has the name.
fn installs_program(dist_info: &Path, name: &str) -> bool {
    let file = dist_info.join("entry_points.txt");
    let Ok(content) = files::read_bounded(&file, MAX_ENTRY_POINTS_BYTES) else { return false };
    let content = String::from_utf8_lossy(&content);
    let mut lines = content.lines().map(str::trim).skip_while(|line| *line != "[console_scripts]");
    lines.next();
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .any(|(program, _)| program.trim() == name)
}

/// Reads the version from `acme_cli-0.86.1.dist-info`.
fn of_distribution(dist_info: PathBuf) -> Option<Metadata> {
    let (_, version) = dist_info.file_stem()?.to_str()?.rsplit_once('-')?;
    let version = version.to_owned();
    Some(Metadata { version, installer: Installer::Python, source: dist_info })
}
