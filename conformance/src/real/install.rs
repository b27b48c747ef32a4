//! Installs a pinned agent CLI from its registry into a separate folder.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use crate::adapter_client::{AdapterPath, run_to_end};

/// The time limit of one installation.
const INSTALL_LIMIT: Duration = Duration::from_secs(300);

/// How often a failed installation is tried.
const MAX_TRIES: usize = 2;

/// The file that marks a complete folder.
const COMPLETE_MARKER: &str = "installed";

/// Texts of installers: the registry does not have the package.
const MISSING_PACKAGE_TEXTS: &[&str] =
    &["e404", "etarget", "enoversions", "no matching distribution found"];

/// Texts of installers: the registry is unreachable.
const UNREACHABLE_TEXTS: &[&str] = &[
    "enotfound",
    "eai_again",
    "econnrefused",
    "econnreset",
    "etimedout",
    "ehostunreach",
    "enetunreach",
    "err_socket_timeout",
    "socket hang up",
    "newconnectionerror",
    "connecttimeout",
    "readtimeout",
    "name resolution",
    "connection refused",
    "connection broken",
    "max retries exceeded",
    "proxyerror",
    "code e401",
    "code e403",
    "code e429",
    "code e5",
];

/// Where a package comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registry {
    Npm,
    Pypi,
}

/// A package with its version: `NAME@VERSION` or `npm:NAME@VERSION` of npm, `pypi:NAME==VERSION`.
/// Further packages of the same registry may follow, such as its interpreter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    registry: Registry,
    /// Separated by single spaces.
    spec: String,
}

impl FromStr for Package {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (registry, spec, mark) = match text.split_once(':') {
            Some(("pypi", spec)) => (Registry::Pypi, spec, "=="),
            Some(("npm", spec)) => (Registry::Npm, spec, "@"),
            _ => (Registry::Npm, text, "@"),
        };
        let is_pinned = |spec: &&str| {
            spec.rsplit_once(mark).is_some_and(|(name, version)| {
                !name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit())
            })
        };
        let specs: Vec<&str> = spec.split_whitespace().collect();
        if !specs.is_empty() && specs.iter().all(is_pinned) {
            return Ok(Self { registry, spec: specs.join(" ") });
        }
        Err(format!("{text:?} is not pinned: NAME@1.2.3 of npm, or pypi:NAME==1.2.3"))
    }
}

impl std::fmt::Display for Package {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.registry {
            Registry::Npm => formatter.write_str(&self.spec),
            Registry::Pypi => write!(formatter, "pypi:{}", self.spec),
        }
    }
}

/// An installed package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The folder with its executables.
    pub executables: PathBuf,
    /// It was installed before.
    pub was_installed: bool,
}

/// Why a package is not installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// The registry does not have it.
    #[error("the registry has no {package}: {output}")]
    NoSuchPackage {
        /// The package.
        package: String,
        /// The last lines of the installer.
        output: String,
    },
    /// Nobody could be asked: no installer, no network, no answer in time.
    #[error("could not download {package}: {output}")]
    Unreachable {
        /// The package.
        package: String,
        /// Why not.
        output: String,
    },
    /// The installer failed in some other way.
    #[error("could not install {package}: {output}")]
    Failed {
        /// The package.
        package: String,
        /// The last lines of the installer.
        output: String,
    },
}

/// Installs a package into its own folder below another one, once. A failed installation is tried
/// again once.
///
/// # Errors
/// When it cannot be installed.
pub fn install(package: &Package, into: &Path) -> Result<Installed, InstallError> {
    let folder = into.join(folder_name(package));
    let executables = folder.join(match package.registry {
        Registry::Npm => "node_modules/.bin",
        Registry::Pypi => "venv/bin",
    });
    let marker = folder.join(COMPLETE_MARKER);
    if std::fs::read_to_string(&marker).is_ok_and(|spec| spec == package.spec) {
        return Ok(Installed { executables, was_installed: true });
    }
    let mut outcome = fetch(package, &folder);
    for _ in 1..MAX_TRIES {
        if matches!(outcome, Ok(()) | Err(InstallError::NoSuchPackage { .. })) {
            break;
        }
        outcome = fetch(package, &folder);
    }
    outcome?;
    std::fs::write(marker, &package.spec).map_err(|error| failed(package, error.to_string()))?;
    Ok(Installed { executables, was_installed: false })
}

fn folder_name(package: &Package) -> String {
    let registry = match package.registry {
        Registry::Npm => "npm",
        Registry::Pypi => "pypi",
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let spec: String = package.spec.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    format!("{registry}-{}", spec.trim_start_matches('-'))
}

/// One try in an empty folder.
fn fetch(package: &Package, folder: &Path) -> Result<(), InstallError> {
    let no_folder = |error: std::io::Error| failed(package, error.to_string());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(no_folder)?;
    }
    std::fs::create_dir_all(folder).map_err(no_folder)?;
    let prefix = folder.to_string_lossy().into_owned();
    let specs: Vec<&str> = package.spec.split(' ').collect();
    match package.registry {
        Registry::Npm => {
            let own = ["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund"];
            let where_to = ["--prefix", &prefix];
            run(package, Path::new("npm"), &[&own[..], &where_to, &specs].concat(), folder)
        }
        Registry::Pypi => {
            run(package, Path::new("python3"), &["-m", "venv", "venv"], folder)?;
            let own = ["-m", "pip", "install", "--no-input", "--disable-pip-version-check"];
            let python = folder.join("venv/bin/python");
            run(package, &python, &[&own[..], &specs].concat(), folder)
        }
    }
}

fn run(
    package: &Package,
    program: &Path,
    arguments: &[&str],
    folder: &Path,
) -> Result<(), InstallError> {
    let installer = AdapterPath { executable: program.to_owned(), arguments: Vec::new() };
    // The environment is passed unchanged: it configures registries and proxies.
    let env = std::env::vars().collect();
    let name = package.to_string();
    let captured =
        run_to_end(&installer, arguments, &env, folder, INSTALL_LIMIT).map_err(|error| {
            let output = format!("could not start {}: {error}", program.display());
            InstallError::Unreachable { package: name.clone(), output }
        })?;
    match captured.status {
        Some(status) if status.success() => Ok(()),
        None => Err(InstallError::Unreachable { package: name, output: captured.ending() }),
        Some(_) => {
            let stdout = String::from_utf8_lossy(&captured.stdout);
            Err(classify(package, &format!("{stdout}\n{}", captured.stderr_text())))
        }
    }
}

/// Classifies the output of a failed installer. Some installers report a missing package when the
/// registry is unreachable, so that is checked first.
fn classify(package: &Package, text: &str) -> InstallError {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let (name, output) = (package.to_string(), last_lines(text));
    if has(UNREACHABLE_TEXTS) {
        InstallError::Unreachable { package: name, output }
    } else if has(MISSING_PACKAGE_TEXTS) {
        InstallError::NoSuchPackage { package: name, output }
    } else {
        failed(package, output)
    }
}

fn failed(package: &Package, output: String) -> InstallError {
    InstallError::Failed { package: package.to_string(), output }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(4)..].join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_package_has_its_own_folder() {
        for (text, folder) in [
            ("@example/red-fox@2.1.197", "npm-example-red-fox-2.1.197"),
            ("npm:red-fox@1.18.4", "npm-red-fox-1.18.4"),
            ("pypi:red-fox==1.2.3", "pypi-red-fox--1.2.3"),
            ("@a/b@1.0.0  node@24.21.0", "npm-a-b-1.0.0-node-24.21.0"),
        ] {
            let package: Package = text.parse().expect("a pinned package");
            assert_eq!(folder_name(&package), folder);
        }
        for text in
            ["red-fox", "red-fox@latest", "@scope/name", "pypi:red-fox", "@1.0", "a@1 b", ""]
        {
            assert!(text.parse::<Package>().is_err(), "{text}");
        }
    }

    #[test]
    fn installer_failures_are_classified() {
        let package: Package = "x@1.0.0".parse().expect("a pinned package");
        let kind = |text: &str| classify(&package, text);
        let missing = kind("npm error code E404\nnpm error 404 Not Found");
        assert!(matches!(missing, InstallError::NoSuchPackage { .. }));
        let missing = kind("npm error code ETARGET");
        assert!(matches!(missing, InstallError::NoSuchPackage { .. }));
        let away = kind("npm error code EAI_AGAIN");
        assert!(matches!(away, InstallError::Unreachable { .. }));
        let away = kind(
            "WARNING: Retrying after connection broken by 'NewConnectionError'\n\
             ERROR: No matching distribution found for x==1.0.0",
        );
        assert!(matches!(away, InstallError::Unreachable { .. }));
        assert!(matches!(kind("ENOSPC"), InstallError::Failed { .. }));
    }
}
