//! The files of the work tree and the manifests of its crates, without build output.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::files::repository;

/// The folders of all crates that are not adapters.
const CRATE_FOLDERS: [&str; 7] = [
    "protocol",
    "sdk",
    "sdk/os",
    "host",
    "conformance",
    "conformance/templates/rust",
    "schemas/xtask",
];

/// A crate of the workspace.
pub(super) struct Member {
    /// Its folder, from the repository's root.
    pub(super) folder: String,
    /// Its Cargo.toml.
    pub(super) manifest: toml::Table,
}

impl Member {
    pub(super) fn name(&self) -> &str {
        self.manifest["package"]["name"].as_str().expect("a package has a name")
    }

    /// The names in every table of dependencies, those of tests and platforms included.
    pub(super) fn dependencies(&self) -> Vec<String> {
        let platforms = self.manifest.get("target").and_then(toml::Value::as_table);
        let tables = platforms.into_iter().flatten().filter_map(|(_, table)| table.as_table());
        tables.chain([&self.manifest]).flat_map(named_dependencies).collect()
    }

    /// The text of all its Rust files.
    pub(super) fn code(&self) -> String {
        let is_inside = |file: &str, folder: &str| file.starts_with(&format!("{folder}/"));
        let is_of_other_crate = |file: &str| {
            let inner = CRATE_FOLDERS.iter().filter(|folder| is_inside(folder, &self.folder));
            inner.into_iter().any(|folder| is_inside(file, folder))
        };
        rust_files()
            .iter()
            .filter(|file| is_inside(file, &self.folder) && !is_of_other_crate(file))
            .map(|file| read(file))
            .collect()
    }
}

fn named_dependencies(table: &toml::Table) -> Vec<String> {
    ["dependencies", "dev-dependencies", "build-dependencies"]
        .iter()
        .filter_map(|kind| table.get(*kind)?.as_table())
        .flat_map(|table| table.keys().cloned())
        .collect()
}

/// All crates of the workspace.
pub(super) fn members() -> Vec<Member> {
    let fixed = CRATE_FOLDERS.iter().map(|folder| (*folder).to_owned());
    fixed.chain(adapter_folders()).map(member).collect()
}

fn member(folder: String) -> Member {
    let manifest = read(&format!("{folder}/Cargo.toml")).parse();
    Member { manifest: manifest.unwrap_or_else(|error| panic!("{folder}: {error}")), folder }
}

/// The folders below `adapters/`, from the repository's root.
pub(super) fn adapter_folders() -> Vec<String> {
    let mut folders: Vec<String> = entries(&repository().join("adapters"))
        .into_iter()
        .filter(|path| path.is_dir())
        .map(|path| relative(&path))
        .collect();
    folders.sort();
    folders
}

/// All Rust files, from the repository's root.
pub(super) fn rust_files() -> Vec<String> {
    all_files().into_iter().filter(|file| file.ends_with(".rs")).collect()
}

/// All files but those of builds and of git, from the repository's root.
pub(super) fn all_files() -> Vec<String> {
    let mut files = Vec::new();
    let mut waiting = vec![repository()];
    while let Some(folder) = waiting.pop() {
        for path in entries(&folder) {
            let name = path.file_name().expect("an entry has a name");
            if ["target", ".git", "node_modules"].iter().any(|skipped| name == *skipped) {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                waiting.push(path);
            } else {
                files.push(relative(&path));
            }
        }
    }
    files.sort();
    files
}

/// The text of a file, named from the repository's root; invalid UTF-8 is replaced.
pub(super) fn read(file: &str) -> String {
    let bytes = fs::read(repository().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn exists(file: &str) -> bool {
    repository().join(file).exists()
}

pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    entries.map(|entry| entry.expect("a readable entry").path()).collect()
}

fn relative(path: &Path) -> String {
    let path = path.strip_prefix(repository()).expect("the path is below the root");
    path.to_str().expect("paths are UTF-8").replace('\\', "/")
}

/// Fails with the list of violations of a rule.
#[track_caller]
pub(super) fn assert_none(rule: &str, violations: Vec<String>) {
    assert!(violations.is_empty(), "{rule}:\n  {}", violations.join("\n  "));
}
