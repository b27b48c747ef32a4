//! Searches folders for files with the name of an adapter. Starts no process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Origin, Rejected, Rule};
use crate::files::trust::{self, Problem};
use crate::home::OdHome;
use crate::plugin::name::{ADAPTER_PREFIX, adapter_id};

/// A folder to search.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) origin: Origin,
}

/// A file with a valid name in a trusted folder.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    pub(crate) origin: Origin,
}

/// The candidates by id, in order of precedence.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) candidates: BTreeMap<String, Vec<Candidate>>,
    pub(crate) rejected: Vec<Rejected>,
}

/// Returns the folders in order of precedence.
pub(crate) fn folders(adapter_dirs: &[PathBuf], home: &OdHome, search_path: &OsStr) -> Vec<Folder> {
    let listed = |value: &OsStr, origin: Origin| -> Vec<Folder> {
        // An unset variable names no folder, but an empty entry is the current folder.
        let entries: Vec<PathBuf> =
            if value.is_empty() { Vec::new() } else { std::env::split_paths(value).collect() };
        entries.into_iter().map(|path| Folder { path, origin }).collect()
    };
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let mut folders: Vec<Folder> = adapter_dirs
        .iter()
        .map(|path| Folder { path: path.clone(), origin: Origin::AdapterDir })
        .collect();
    let adapter_path = std::env::var_os("OD_ADAPTER_PATH").unwrap_or_default();
    folders.extend(listed(&adapter_path, Origin::AdapterPath));
    folders.extend(beside.map(|path| Folder { path, origin: Origin::BesideHost }));
    folders.push(Folder { path: home.adapters(), origin: Origin::UserFolder });
    folders.extend(listed(search_path, Origin::Path));
    folders
}

/// Searches the folders for all adapters, or for one.
pub(crate) fn search(folders: &[Folder], wanted: Option<&str>) -> Found {
    let mut found = Found::default();
    for folder in folders {
        if !folder.path.is_absolute() {
            found.rejected.push(relative(folder));
            continue;
        }
        let names = match wanted {
            Some(id) => present(&folder.path, id),
            None => list(folder, &mut found.rejected),
        };
        if names.is_empty() {
            continue;
        }
        if let Err(problem) = trust::check_folder(&folder.path) {
            found.rejected.push(Rejected::new(None, &folder.path, folder.origin, problem));
            continue;
        }
        for name in names {
            consider(folder, &name, &mut found);
        }
    }
    found
}

fn consider(folder: &Folder, name: &OsString, found: &mut Found) {
    let Some(id) = name.to_str().and_then(adapter_id) else { return };
    let path = folder.path.join(name);
    let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let known = found.candidates.get(id).is_some_and(|candidates| {
        candidates
            .iter()
            .any(|other| std::fs::canonicalize(&other.path).is_ok_and(|other| other == real))
    });
    if known {
        return; // The same file, found through another folder.
    }
    let real_folder = real.parent().unwrap_or(&folder.path);
    match trust::check_file(&path).and_then(|()| trust::check_folder(real_folder)) {
        Ok(()) => {
            let candidate = Candidate { id: id.to_owned(), path, origin: folder.origin };
            found.candidates.entry(id.to_owned()).or_default().push(candidate);
        }
        Err(problem) => found.rejected.push(Rejected::new(Some(id), &path, folder.origin, problem)),
    }
}

/// The file names of one adapter in a folder.
fn present(folder: &Path, id: &str) -> Vec<OsString> {
    let names = [format!("{ADAPTER_PREFIX}{id}"), format!("{ADAPTER_PREFIX}{id}.exe")];
    let exists = |name: &String| folder.join(name).symlink_metadata().is_ok();
    names.into_iter().filter(exists).map(OsString::from).collect()
}

/// The file names in a folder that are names of adapters, sorted.
fn list(folder: &Folder, rejected: &mut Vec<Rejected>) -> Vec<OsString> {
    let entries = match std::fs::read_dir(&folder.path) {
        Ok(entries) => entries,
        Err(error) => {
            if matches!(folder.origin, Origin::AdapterDir | Origin::AdapterPath) {
                rejected.push(missing(folder, &error));
            }
            return Vec::new();
        }
    };
    let mut names: Vec<OsString> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .filter(|name| name.to_str().is_some_and(|name| adapter_id(name).is_some()))
        .collect();
    names.sort();
    names
}

fn relative(folder: &Folder) -> Rejected {
    let variable = if folder.origin == Origin::Path { "PATH" } else { "OD_ADAPTER_PATH" };
    let shown = if folder.path.as_os_str().is_empty() {
        "an empty entry (the current folder)".to_owned()
    } else {
        format!("the entry {}", folder.path.display())
    };
    let problem = Problem {
        rule: Rule::RelativeFolder,
        reason: format!("{variable} has {shown}, which depends on the current folder"),
        fix: format!("remove it from {variable} or write it as an absolute path"),
    };
    Rejected::new(None, &folder.path, folder.origin, problem)
}

fn missing(folder: &Folder, error: &std::io::Error) -> Rejected {
    let problem = Problem {
        rule: Rule::Unreadable,
        reason: format!("cannot read the folder: {error}"),
        fix: "use a folder that exists".to_owned(),
    };
    Rejected::new(None, &folder.path, folder.origin, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_and_empty_folders_are_rejected() {
        let folder = |path: &str, origin| Folder { path: path.into(), origin };
        let folders = [
            folder("", Origin::Path),
            folder("bin", Origin::Path),
            folder("./x", Origin::AdapterPath),
            folder("/surely/not/here", Origin::Path),
        ];
        let rejected = search(&folders, None).rejected;
        assert!(rejected.iter().all(|rejected| rejected.rule == Rule::RelativeFolder));
        let reasons: Vec<&str> = rejected.iter().map(|rejected| rejected.reason.as_str()).collect();
        assert_eq!(reasons.len(), 3);
        assert!(
            reasons[0].contains("empty") && reasons[2].contains("OD_ADAPTER_PATH"),
            "{reasons:?}"
        );
    }
}
