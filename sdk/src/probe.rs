//! Finds the agent CLI: `config.cliPath` exactly, or else PATH, the login shell's PATH (as it is
//! remembered) and well-known folders. Starts no process: every run comes through here. What asks
//! the agent CLI or a shell something is in [`crate::detect`].

pub mod converse;
pub mod platform;
pub mod well_known;

pub(crate) mod ask;
pub(crate) mod cache;
mod candidate;
pub(crate) mod files;
mod interpreter;
mod search;

#[cfg(unix)]
#[path = "probe/unix.rs"]
pub(crate) mod os;
#[cfg(windows)]
#[path = "probe/windows.rs"]
pub(crate) mod os;

use std::path::{Path, PathBuf};

use od_protocol::{CliInfo, ErrorKind, ErrorObject, Evidence, Manifest};

use crate::cli_version;
use crate::{Install, Machine};

use candidate::{Candidate, Flaw};
use platform::Platform;
use search::{Findings, Place};

/// Where the agent CLI is, with its version when the install's own metadata or an earlier probe
/// tells.
///
/// # Errors
/// `cli_not_found` with the command that installs it; `cli_spawn_failed` when `config.cliPath`
/// names something that cannot be started; `config_invalid` when it is relative. `details.evidence`
/// lists what was looked at.
pub fn locate(manifest: &Manifest, machine: &Machine) -> Result<Install, ErrorObject> {
    locate_in(manifest, machine, &[])
}

/// As [`locate`], for agent CLIs whose own installer uses a folder nobody else does:
/// `own_folders` are looked at before the well-known ones.
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

/// Whether PATH itself holds one of the names: then nobody needs to ask a login shell.
pub(crate) fn is_on_path(manifest: &Manifest, machine: &Machine) -> bool {
    let place = Place::path(machine);
    search::search(&manifest.cli.names, &[place]).used.is_some()
}

/// Whether a program (not the agent CLI: something it needs) is on the PATH a run would get.
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
        Candidate::Spoiled(path, flaw) => {
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
    let Findings { used, evidence, spoiled } = search::search(&manifest.cli.names, &places);
    match used {
        Some(path) => Ok(install(path, &places, manifest, machine, evidence)),
        None => Err(with_evidence(not_found(manifest, spoiled), &evidence)),
    }
}

fn not_found(manifest: &Manifest, spoiled: Option<(PathBuf, Flaw)>) -> ErrorObject {
    let names = manifest.cli.names.join(" or ");
    let mut message = format!("{names} is not in PATH or any folder where it is usually installed");
    let mut hint = platform::install_command(&manifest.cli, Platform::current(), None)
        .map_or_else(|| format!("install {}", manifest.display_name), str::to_owned);
    if let Some((path, flaw)) = spoiled {
        message.push_str(&format!("; {} {flaw}", path.display()));
        hint = flaw.hint(&path).unwrap_or(hint);
    }
    ErrorObject::new(ErrorKind::CliNotFound, message).with_hint(hint)
}

fn correct_cli_path(cli: &CliInfo) -> String {
    let name = cli.names.first().map_or("the agent CLI", String::as_str);
    format!("set config.cliPath to the executable of {name}, or leave it out to search PATH")
}

/// Everything a run needs to know about the file, from files alone.
fn install(
    path: PathBuf,
    places: &[Place],
    manifest: &Manifest,
    machine: &Machine,
    mut evidence: Vec<Evidence>,
) -> Install {
    let remembered = cache::recall(machine, &path);
    let metadata = cli_version::from_metadata(&path);
    if let Some(metadata) = &metadata {
        evidence.push(metadata.evidence());
    }
    let version = metadata
        .map(|metadata| metadata.version)
        .or_else(|| remembered.version.as_ref().map(|answer| answer.version.clone()));
    let extra_path = interpreter::extra_path(&path, places, machine, &mut evidence);
    Install {
        tested_version: cli_version::against_tested(version.as_deref(), &manifest.cli),
        flags: remembered.flags(),
        host_answers_approvals: machine.host_answers_approvals,
        path,
        extra_path,
        version,
        evidence,
        ..Install::default()
    }
}

/// Puts the evidence where a host can show it and [`evidence_of`] finds it again.
fn with_evidence(mut error: ErrorObject, evidence: &[Evidence]) -> ErrorObject {
    if let (Some(data), Ok(list)) = (&mut error.data, serde_json::to_value(evidence)) {
        data.details.get_or_insert_default().insert("evidence".to_owned(), list);
    }
    error
}

/// The evidence inside an error of [`locate`].
pub(crate) fn evidence_of(error: &ErrorObject) -> Vec<Evidence> {
    let details = error.data.as_ref().and_then(|data| data.details.as_ref());
    details
        .and_then(|details| details.get("evidence"))
        .and_then(|list| serde::Deserialize::deserialize(list).ok())
        .unwrap_or_default()
}
