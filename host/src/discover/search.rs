//! Looking through folders for files with the right name. No adapter is started here.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Origin, Rejected, Rule};
use crate::home::OdHome;
use crate::trust;

const PREFIX: &str = "od-adapter-";
const LONGEST_ID: usize = 41;

/// A folder to look through.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) origin: Origin,
}

/// A file with the right name that is trusted where it lies.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    pub(crate) origin: Origin,
}

/// What the folders hold: by id, the candidates in the order of precedence.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) candidates: BTreeMap<String, Vec<Candidate>>,
    pub(crate) rejected: Vec<Rejected>,
}

/// The folders in the order of precedence.
pub(crate) fn folders(adapter_dirs: &[PathBuf], home: &OdHome, search_path: &OsStr) -> Vec<Folder> {
    let listed = |value: &OsStr, origin: Origin| -> Vec<Folder> {
        // An unset variable is no folder; an empty entry in a set one is the current folder.
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

/// Looks through the folders, for all adapters or for one.
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
            found.rejected.push(reject(None, &folder.path, folder.origin, problem));
            continue;
        }
        for name in names {
            consider(folder, &name, &mut found);
        }
    }
    found
}

/// The id in a file name, when the name follows the rule
/// `^od-adapter-[a-z][a-z0-9-]{0,40}(\.exe)?$`.
pub(crate) fn id_of(file_name: &str) -> Option<&str> {
    let stem = file_name.strip_suffix(".exe").unwrap_or(file_name);
    let id = stem.strip_prefix(PREFIX)?;
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (id.len() <= LONGEST_ID
        && id.starts_with(|first: char| first.is_ascii_lowercase())
        && id.bytes().all(fits))
    .then_some(id)
}

fn consider(folder: &Folder, name: &OsString, found: &mut Found) {
    let Some(id) = name.to_str().and_then(id_of) else { return };
    let path = folder.path.join(name);
    let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let known = found.candidates.get(id).is_some_and(|candidates| {
        candidates
            .iter()
            .any(|other| std::fs::canonicalize(&other.path).is_ok_and(|other| other == real))
    });
    if known {
        return; // The same file, seen by way of another folder.
    }
    let real_folder = real.parent().unwrap_or(&folder.path);
    match trust::check_file(&path).and_then(|()| trust::check_folder(real_folder)) {
        Ok(()) => {
            let candidate = Candidate { id: id.to_owned(), path, origin: folder.origin };
            found.candidates.entry(id.to_owned()).or_default().push(candidate);
        }
        Err(problem) => found.rejected.push(reject(Some(id), &path, folder.origin, problem)),
    }
}

/// The file names of one adapter in a folder.
fn present(folder: &Path, id: &str) -> Vec<OsString> {
    let names = [format!("{PREFIX}{id}"), format!("{PREFIX}{id}.exe")];
    let there = |name: &String| folder.join(name).symlink_metadata().is_ok();
    names.into_iter().filter(there).map(OsString::from).collect()
}

/// All file names in a folder that could be adapters, sorted.
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
        .filter(|name| name.to_str().is_some_and(|name| id_of(name).is_some()))
        .collect();
    names.sort();
    names
}

fn reject(id: Option<&str>, path: &Path, origin: Origin, problem: trust::Problem) -> Rejected {
    Rejected {
        id: id.map(str::to_owned),
        path: path.to_owned(),
        origin,
        rule: problem.rule,
        reason: problem.reason,
        fix: problem.fix,
    }
}

fn relative(folder: &Folder) -> Rejected {
    let variable = if folder.origin == Origin::Path { "PATH" } else { "OD_ADAPTER_PATH" };
    let shown = if folder.path.as_os_str().is_empty() {
        "an empty entry (the current folder)".to_owned()
    } else {
        format!("the entry {}", folder.path.display())
    };
    Rejected {
        id: None,
        path: folder.path.clone(),
        origin: folder.origin,
        rule: Rule::RelativeFolder,
        reason: format!("{variable} has {shown}, which means another folder each time"),
        fix: format!("remove it from {variable} or write it as an absolute path"),
    }
}

fn missing(folder: &Folder, error: &std::io::Error) -> Rejected {
    Rejected {
        id: None,
        path: folder.path.clone(),
        origin: folder.origin,
        rule: Rule::Unreadable,
        reason: format!("the folder cannot be read: {error}"),
        fix: "name a folder that exists".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_and_empty_folders_are_passed_over() {
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

    #[test]
    fn the_name_rule() {
        assert_eq!(id_of("od-adapter-claude-code"), Some("claude-code"));
        assert_eq!(id_of("od-adapter-x2.exe"), Some("x2"));
        let longest = format!("od-adapter-{}", "a".repeat(41));
        assert!(id_of(&longest).is_some() && id_of(&format!("{longest}a")).is_none());
        for bad in [
            "od-adapter-",
            "od-adapter-2x",
            "od-adapter-X",
            "od-adapter-a_b",
            "od-adapter-a.sh",
            "adapter-a",
        ] {
            assert_eq!(id_of(bad), None, "{bad}");
        }
    }
}
