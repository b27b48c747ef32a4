//! Inspects the machine for an agent CLI: where it is, its version, the flags of its help. No
//! adapter is involved; `adapter/detect` is in [`crate::detect`].
//!
//! [`locate`] starts no process: every run calls it. It searches `config.cliPath` exactly, or else
//! PATH, the login shell's PATH (as it is cached) and well-known folders.

pub mod cli_query;
pub mod command;
pub mod help;
pub mod platform;
pub mod version;
pub mod well_known;

pub(crate) mod cache;
mod candidate;
mod interpreter;
pub(crate) mod login_shell;
mod program;
mod search;

#[cfg(unix)]
#[path = "probe/unix.rs"]
pub(crate) mod os;
#[cfg(windows)]
#[path = "probe/windows.rs"]
pub(crate) mod os;

use std::path::{Path, PathBuf};

use od_protocol::{CliInfo, ErrorKind, ErrorObject, Evidence, Manifest};

use crate::{Install, Machine, auth};

use candidate::{Candidate, Flaw};
use platform::Platform;
use search::{Findings, Place};

/// Finds the agent CLI, with its version when the install's own metadata or the cache has it.
///
/// # Errors
/// `cli_not_found` with the command that installs it; `cli_spawn_failed` when `config.cliPath` is
/// not a program; `config_invalid` when it is relative. `details.evidence` lists what was inspected.
pub fn locate(manifest: &Manifest, machine: &Machine) -> Result<Install, ErrorObject> {
    locate_in(manifest, machine, &[])
}

/// As [`locate`], for agent CLIs whose installer uses its own folder: `own_folders` are searched
/// before the well-known ones.
///
/// # Errors
/// As [`locate`].
pub fn locate_in(
    manifest: &Manifest,
    machine: &Machine,
    own_folders: &[PathBuf],
) -> Result<Install, ErrorObject> {
    match &machine.cli_path {
        Some(path) => exactly(path, manifest, machine),
        None => anywhere(manifest, machine, own_folders),
    }
}

/// Whether PATH itself has one of the names: then the login shell is not needed.
pub(crate) fn is_on_path(manifest: &Manifest, machine: &Machine) -> bool {
    let place = Place::path(machine);
    search::search(&manifest.cli.names, &[place]).used.is_some()
}

/// Whether a program that the agent CLI needs is on the PATH of a run.
pub(crate) fn has_program(name: &str, install: &Install, machine: &Machine) -> bool {
    let places = [Place::path(machine), Place::of_install(install)];
    search::search(&[name.to_owned()], &places).used.is_some()
}

fn exactly(path: &Path, manifest: &Manifest, machine: &Machine) -> Result<Install, ErrorObject> {
    let shown = path.display();
    if !path.is_absolute() {
        let message = format!("config.cliPath {shown} is not an absolute path");
        return Err(ErrorObject::new(ErrorKind::ConfigInvalid, message)
            .with_hint("give config.cliPath as an absolute path"));
    }
    let evidence = |found, detail: Option<&str>| Evidence {
        signal: "cli_path".to_owned(),
        subject: shown.to_string(),
        found,
        detail: detail.map(str::to_owned),
    };
    let error = match candidate::at(path) {
        Candidate::Usable(path) => {
            let places = Place::all(machine, &[]);
            return Ok(install(path, &places, manifest, machine, vec![evidence(true, None)]));
        }
        Candidate::Unusable(path, flaw) => {
            let message = format!("config.cliPath {shown} {flaw}");
            let error = ErrorObject::new(flaw.error_kind(), message)
                .with_hint(flaw.hint(&path).unwrap_or_else(|| correct_cli_path(&manifest.cli)));
            with_evidence(error, &[evidence(false, Some(flaw.text()))])
        }
        Candidate::Absent => {
            let message = format!("config.cliPath {shown} does not exist");
            let error = ErrorObject::new(ErrorKind::CliNotFound, message)
                .with_hint(correct_cli_path(&manifest.cli));
            with_evidence(error, &[evidence(false, None)])
        }
    };
    Err(error)
}

fn anywhere(
    manifest: &Manifest,
    machine: &Machine,
    own_folders: &[PathBuf],
) -> Result<Install, ErrorObject> {
    let places = Place::all(machine, own_folders);
    let Findings { used, evidence, unusable } = search::search(&manifest.cli.names, &places);
    match used {
        Some(path) => Ok(install(path, &places, manifest, machine, evidence)),
        None => Err(with_evidence(not_found(manifest, unusable), &evidence)),
    }
}

fn not_found(manifest: &Manifest, unusable: Option<(PathBuf, Flaw)>) -> ErrorObject {
    let names = manifest.cli.names.join(" or ");
    let mut message = format!("{names} is not in PATH or any folder where it is usually installed");
    let mut hint = platform::install_command(&manifest.cli, Platform::current(), None)
        .map_or_else(|| format!("install {}", manifest.display_name), str::to_owned);
    if let Some((path, flaw)) = unusable {
        message.push_str(&format!("; {} {flaw}", path.display()));
        hint = flaw.hint(&path).unwrap_or(hint);
    }
    ErrorObject::new(ErrorKind::CliNotFound, message).with_hint(hint)
}

fn correct_cli_path(cli: &CliInfo) -> String {
    let name = cli.names.first().map_or("the agent CLI", String::as_str);
    format!("set config.cliPath to the executable of {name}, or leave it out to search PATH")
}

/// Describes the file to a run, from files alone.
fn install(
    path: PathBuf,
    places: &[Place],
    manifest: &Manifest,
    machine: &Machine,
    mut evidence: Vec<Evidence>,
) -> Install {
    let cached = cache::load(machine, &path);
    let metadata = version::from_metadata(&path);
    if let Some(metadata) = &metadata {
        evidence.push(metadata.evidence());
    }
    let version = metadata
        .map(|metadata| metadata.version)
        .or_else(|| cached.version.as_ref().map(|answer| answer.version.clone()));
    let extra_path = interpreter::extra_path(&path, places, machine, &mut evidence);
    Install {
        tested_version: version::against_tested(version.as_deref(), &manifest.cli),
        flags: cached.flags(),
        host_answers_approvals: machine.host_answers_approvals,
        path,
        extra_path,
        version,
        evidence,
        ..Install::default()
    }
}

/// Refuses an agent CLI below the manifest's minimum version. An unknown version is accepted, and so
/// is one that was cached more than a day ago: the program may have been updated since.
///
/// # Errors
/// `cli_version_unsupported` with the command that updates the CLI.
pub(crate) fn check_version(
    manifest: &Manifest,
    install: &Install,
    machine: &Machine,
) -> Result<(), ErrorObject> {
    let version = install.version.as_deref();
    if version::meets_minimum(version, &manifest.cli) != Some(false) {
        return Ok(());
    }
    // Only the refusal needs the origin of the version, so a normal run reads nothing here.
    let answer = cache::load(machine, &install.path).version;
    let is_cached = version::from_metadata(&install.path).is_none()
        && answer.as_ref().is_some_and(|answer| Some(answer.version.as_str()) == version);
    if is_cached && !answer.is_some_and(|answer| version::is_recent(&answer, auth::now())) {
        return Ok(());
    }
    let message = format!(
        "{} {} at {} is too old: this adapter needs {} or newer",
        manifest.display_name,
        version.unwrap_or_default(),
        install.path.display(),
        manifest.cli.version_min.as_deref().unwrap_or_default(),
    );
    let mut hint = update_command(manifest, install);
    if is_cached {
        hint.push_str(", then `od-host agents --refresh`");
    }
    Err(ErrorObject::new(ErrorKind::CliVersionUnsupported, message).with_hint(hint))
}

/// Returns the command that updates the agent CLI, with the tool that installed it.
pub(crate) fn update_command(manifest: &Manifest, install: &Install) -> String {
    let cli = &manifest.cli;
    let installer = version::from_metadata(&install.path).map(|metadata| metadata.installer);
    match platform::install_command(cli, Platform::current(), installer) {
        Some(command) => command.to_owned(),
        None => format!(
            "update {} to {} or newer",
            manifest.display_name,
            cli.version_min.as_deref().unwrap_or("a newer version")
        ),
    }
}

/// Adds the evidence to the details of an error; [`evidence_of`] reads it from there.
fn with_evidence(mut error: ErrorObject, evidence: &[Evidence]) -> ErrorObject {
    if let (Some(data), Ok(list)) = (&mut error.data, serde_json::to_value(evidence)) {
        data.details.get_or_insert_default().insert("evidence".to_owned(), list);
    }
    error
}

/// Returns the evidence in an error of [`locate`].
pub(crate) fn evidence_of(error: &ErrorObject) -> Vec<Evidence> {
    let details = error.data.as_ref().and_then(|data| data.details.as_ref());
    details
        .and_then(|details| details.get("evidence"))
        .and_then(|list| serde::Deserialize::deserialize(list).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_old_version_is_refused_for_a_day() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("acme");
        std::fs::write(&path, "#!/bin/sh\n").expect("a program");
        let state_dir = Some(folder.path().join("state"));
        let machine = Machine { state_dir, ..Machine::default() };
        let install = Install { path, version: Some("0.9.0".to_owned()), ..Install::default() };
        let mut manifest = Manifest::new("acme", "Acme");
        manifest.cli.version_min = Some("1.0.0".to_owned());
        let cache_answer = |asked_at| {
            let version = Some(cache::VersionAnswer { version: "0.9.0".to_owned(), asked_at });
            cache::update(&machine, &install.path, |answers| answers.version = version);
        };
        cache_answer(auth::now());
        let error = check_version(&manifest, &install, &machine).expect_err("too old");
        assert_eq!(error.kind(), ErrorKind::CliVersionUnsupported);
        assert!(error.hint().is_some_and(|hint| hint.ends_with("`od-host agents --refresh`")));
        cache_answer(1_000);
        assert!(check_version(&manifest, &install, &machine).is_ok(), "it may be updated by now");
    }

    #[test]
    fn unknown_or_sufficient_version_is_accepted() {
        let mut manifest = Manifest::new("acme", "Acme");
        manifest.cli.version_min = Some("1.0.0".to_owned());
        for version in [None, Some("1.0.0"), Some("2"), Some("nightly")] {
            let version = version.map(str::to_owned);
            let install = Install { version, ..Install::default() };
            assert!(check_version(&manifest, &install, &Machine::default()).is_ok());
        }
    }
}
