//! The places where an agent CLI may be, and the walk through them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use od_protocol::Evidence;

use super::candidate::{self, Candidate, Flaw};
use super::platform::Platform;
use super::well_known;
use crate::{Install, Machine, login_shell};

/// Folders that are looked at for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The evidence's signal.
    pub(super) signal: &'static str,
    /// The evidence's subject when none of the folders holds anything.
    subject: String,
    /// In their order, absolute ones only.
    pub(super) folders: Vec<PathBuf>,
}

impl Place {
    /// Every place, in the order in which they win.
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

    /// What an agent CLI that was found gets on top of PATH.
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

    /// A relative folder means another one in every working directory: it is never looked at.
    fn new(signal: &'static str, subject: &str, mut folders: Vec<PathBuf>) -> Self {
        folders.retain(|folder| folder.is_absolute());
        Self { signal, subject: subject.to_owned(), folders }
    }

    fn evidence(&self, subject: String, found: bool, detail: Option<String>) -> Evidence {
        Evidence { signal: self.signal.to_owned(), subject, found, detail }
    }
}

/// What the walk brought.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The file a run starts.
    pub(super) used: Option<PathBuf>,
    /// What was looked at, in its order.
    pub(super) evidence: Vec<Evidence>,
    /// The first thing that has the right name and cannot be started.
    pub(super) spoiled: Option<(PathBuf, Flaw)>,
}

/// Walks through all places for the best name, then for the next: a better name anywhere beats a
/// worse one on PATH, because the worse ones (`agent`) are the ones that strangers share.
pub(super) fn search(names: &[String], places: &[Place]) -> Findings {
    let mut findings = Findings::default();
    for name in names.iter().filter(|name| is_plain(name)) {
        let mut walk = Walk { name, folders_seen: HashSet::new(), findings: &mut findings };
        places.iter().for_each(|place| walk.through(place));
        if findings.used.is_some() {
            break;
        }
    }
    findings
}

/// A name and no path: a manifest must not reach outside the folders.
fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|file_name| file_name == name)
}

struct Walk<'a> {
    name: &'a str,
    folders_seen: HashSet<PathBuf>,
    findings: &'a mut Findings,
}

impl Walk<'_> {
    fn through(&mut self, place: &Place) {
        let mut noted = false;
        for folder in &place.folders {
            if self.folders_seen.insert(folder.clone()) {
                noted |= self.look_into(folder, place);
            }
        }
        if !noted && self.findings.used.is_none() {
            let detail = format!("no {} in {}", self.name, existing(&place.folders));
            self.findings.evidence.push(place.evidence(place.subject.clone(), false, Some(detail)));
        }
    }

    /// True when there was something to note.
    fn look_into(&mut self, folder: &Path, place: &Place) -> bool {
        let evidence = match candidate::in_folder(folder, self.name) {
            Candidate::Absent => return false,
            Candidate::Spoiled(path, flaw) => {
                let subject = path.display().to_string();
                self.findings.spoiled.get_or_insert((path, flaw));
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

/// The folders that are there; the others would only hide them.
fn existing(folders: &[PathBuf]) -> String {
    let there = folders.iter().filter(|folder| folder.is_dir());
    let shown: Vec<String> = there.map(|folder| folder.display().to_string()).collect();
    match shown.is_empty() {
        true => format!("{} folders: none of them exists", folders.len()),
        false => shown.join(", "),
    }
}
