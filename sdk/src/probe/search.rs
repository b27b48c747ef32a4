//! Searches the places where an agent CLI may be.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use od_protocol::Evidence;

use super::candidate::{self, Candidate, Flaw};
use super::platform::Platform;
use super::{login_shell, well_known};
use crate::{Install, Machine};

/// Folders that are searched for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The evidence's signal.
    pub(super) signal: &'static str,
    /// The evidence's subject when none of the folders has the program.
    subject: String,
    /// In search order, only absolute ones.
    pub(super) folders: Vec<PathBuf>,
}

impl Place {
    /// All places, in search order.
    pub(super) fn all(machine: &Machine, own_folders: &[PathBuf]) -> Vec<Self> {
        let mut places = vec![Self::path(machine)];
        places.extend(login_shell::remembered(machine).map(|path| Self::login_shell(&path)));
        let mut folders = own_folders.to_vec();
        folders.extend(well_known::folders(Platform::current(), machine));
        folders.extend(well_known::node_versions(machine));
        places.push(Self::new("well_known_dir", "well-known folders", folders));
        places
    }

    /// The folders of PATH.
    pub(super) fn path(machine: &Machine) -> Self {
        let path = machine.var("PATH").unwrap_or_default();
        Self::new("path", "PATH", std::env::split_paths(path).collect())
    }

    /// The folders that an agent CLI gets in front of PATH.
    pub(super) fn of_install(install: &Install) -> Self {
        Self::new("path", "PATH", install.path_folders())
    }

    fn login_shell(path: &str) -> Self {
        Self::new(
            "login_shell_path",
            "the login shell's PATH",
            std::env::split_paths(path).collect(),
        )
    }

    /// Relative folders are dropped: they depend on the working directory.
    fn new(signal: &'static str, subject: &str, mut folders: Vec<PathBuf>) -> Self {
        folders.retain(|folder| folder.is_absolute());
        Self { signal, subject: subject.to_owned(), folders }
    }

    fn evidence(&self, subject: String, found: bool, detail: Option<String>) -> Evidence {
        Evidence { signal: self.signal.to_owned(), subject, found, detail }
    }
}

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The program that a run starts.
    pub(super) used: Option<PathBuf>,
    /// What was inspected, in order.
    pub(super) evidence: Vec<Evidence>,
    /// The first match that cannot be started.
    pub(super) unusable: Option<(PathBuf, Flaw)>,
}

/// Searches all places for the first name, then for the next. The first name anywhere is better than
/// a later one on PATH, because other programs share the later names (`agent`).
pub(super) fn search(names: &[String], places: &[Place]) -> Findings {
    let mut findings = Findings::default();
    for name in names.iter().filter(|name| is_plain(name)) {
        let mut walk = Walk { name, folders_seen: HashSet::new(), findings: &mut findings };
        places.iter().for_each(|place| walk.search_place(place));
        if findings.used.is_some() {
            break;
        }
    }
    findings
}

/// Whether the name has no path: a manifest must not reach outside the folders.
fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|file_name| file_name == name)
}

struct Walk<'a> {
    name: &'a str,
    folders_seen: HashSet<PathBuf>,
    findings: &'a mut Findings,
}

impl Walk<'_> {
    fn search_place(&mut self, place: &Place) {
        let mut has_match = false;
        for folder in &place.folders {
            if self.folders_seen.insert(folder.clone()) {
                has_match |= self.search_folder(folder, place);
            }
        }
        if !has_match && self.findings.used.is_none() {
            let detail = format!("no {} in {}", self.name, existing(&place.folders));
            self.findings.evidence.push(place.evidence(place.subject.clone(), false, Some(detail)));
        }
    }

    /// Returns whether the folder has the name.
    fn search_folder(&mut self, folder: &Path, place: &Place) -> bool {
        let evidence = match candidate::in_folder(folder, self.name) {
            Candidate::Absent => return false,
            Candidate::Unusable(path, flaw) => {
                let subject = path.display().to_string();
                self.findings.unusable.get_or_insert((path, flaw));
                place.evidence(subject, false, Some(flaw.text().to_owned()))
            }
            Candidate::Usable(path) => {
                let subject = path.display().to_string();
                match &self.findings.used {
                    None => {
                        self.findings.used = Some(path);
                        place.evidence(subject, true, None)
                    }
                    Some(used) if is_same_file(used, &path) => return true,
                    Some(_) => {
                        place.evidence(subject, true, Some("another copy, not used".to_owned()))
                    }
                }
            }
        };
        self.findings.evidence.push(evidence);
        true
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Lists the folders that exist.
fn existing(folders: &[PathBuf]) -> String {
    let existing = folders.iter().filter(|folder| folder.is_dir());
    let shown: Vec<String> = existing.map(|folder| folder.display().to_string()).collect();
    match shown.is_empty() {
        true => format!("{} folders: none of them exists", folders.len()),
        false => shown.join(", "),
    }
}
