//! Fetching a pinned agent CLI from its registry into a folder of its own.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use crate::plugin::{PluginPath, run_to_end};

/// How long one installer may take.
const INSTALL_LIMIT: Duration = Duration::from_secs(300);

/// How often a fetch that failed is tried.
const TRIES: usize = 2;

/// The file that says that the folder is whole.
const WHOLE_FILE: &str = "installed";

/// Words of installers that mean: the registry does not have it.
const MISSING: &[&str] = &["e404", "etarget", "enoversions", "no matching distribution found"];

/// Words of installers that mean: the registry could not be asked.
const OUT_OF_REACH: &[&str] = &[
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
/// Further ones of the same registry may follow, such as the interpreter that it needs.
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

/// A package that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The folder with its executables.
    pub executables: PathBuf,
    /// It was there from an earlier time.
    pub was_there: bool,
}

/// Why a package is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// The registry answered, and does not have it.
    #[error("the registry has no {package}: {said}")]
    NoSuchPackage {
        /// The package.
        package: String,
        /// The installer's last words.
        said: String,
    },
    /// Nobody could be asked: no installer, no network, no answer in time.
    #[error("{package} cannot be fetched: {said}")]
    OutOfReach {
        /// The package.
        package: String,
        /// Why not.
        said: String,
    },
    /// The installer failed in some other way.
    #[error("{package} cannot be installed: {said}")]
    Failed {
        /// The package.
        package: String,
        /// The installer's last words.
        said: String,
    },
}

/// Installs a package into a folder of its own below another one, once. A fetch that fails is tried
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
    let whole = folder.join(WHOLE_FILE);
    if std::fs::read_to_string(&whole).is_ok_and(|spec| spec == package.spec) {
        return Ok(Installed { executables, was_there: true });
    }
    let mut outcome = fetch(package, &folder);
    for _ in 1..TRIES {
        if matches!(outcome, Ok(()) | Err(InstallError::NoSuchPackage { .. })) {
            break;
        }
        outcome = fetch(package, &folder);
    }
    outcome?;
    std::fs::write(whole, &package.spec).map_err(|error| failed(package, error.to_string()))?;
    Ok(Installed { executables, was_there: false })
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

/// One try, in an empty folder.
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
    let installer = PluginPath { executable: program.to_owned(), arguments: Vec::new() };
    // Registries are reached as this machine's owner set it up, proxies and all.
    let env = std::env::vars().collect();
    let name = package.to_string();
    let captured =
        run_to_end(&installer, arguments, &env, folder, INSTALL_LIMIT).map_err(|error| {
            let said = format!("{} cannot be started: {error}", program.display());
            InstallError::OutOfReach { package: name.clone(), said }
        })?;
    match captured.status {
        Some(status) if status.success() => Ok(()),
        None => Err(InstallError::OutOfReach { package: name, said: captured.ending() }),
        Some(_) => {
            let stdout = String::from_utf8_lossy(&captured.stdout);
            Err(sorted(package, &format!("{stdout}\n{}", captured.stderr_text())))
        }
    }
}

/// Which kind of failure an installer's words tell of. A registry that is out of reach also makes
/// some installers say that there is no such package, so that is looked for first.
fn sorted(package: &Package, text: &str) -> InstallError {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let (name, said) = (package.to_string(), last_words(text));
    if has(OUT_OF_REACH) {
        InstallError::OutOfReach { package: name, said }
    } else if has(MISSING) {
        InstallError::NoSuchPackage { package: name, said }
    } else {
        failed(package, said)
    }
}

fn failed(package: &Package, said: String) -> InstallError {
    InstallError::Failed { package: package.to_string(), said }
}

fn last_words(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(4)..].join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_pinned_and_has_a_folder_of_its_own() {
        for (text, folder) in [
            ("@anthropic-ai/claude-code@2.1.197", "npm-anthropic-ai-claude-code-2.1.197"),
            ("npm:opencode-ai@1.18.4", "npm-opencode-ai-1.18.4"),
            ("pypi:kimi-cli==1.2.3", "pypi-kimi-cli--1.2.3"),
            ("@a/b@1.0.0  node@24.21.0", "npm-a-b-1.0.0-node-24.21.0"),
        ] {
            let package: Package = text.parse().expect("it is pinned");
            assert_eq!(folder_name(&package), folder);
        }
        for text in [
            "opencode-ai",
            "opencode-ai@latest",
            "@scope/name",
            "pypi:kimi-cli",
            "@1.0",
            "a@1 b",
            "",
        ] {
            assert!(text.parse::<Package>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_installers_say_is_sorted() {
        let package: Package = "x@1.0.0".parse().expect("it is pinned");
        let kind = |text: &str| sorted(&package, text);
        let missing = kind("npm error code E404\nnpm error 404 Not Found");
        assert!(matches!(missing, InstallError::NoSuchPackage { .. }));
        let missing = kind("npm error code ETARGET");
        assert!(matches!(missing, InstallError::NoSuchPackage { .. }));
        let away = kind("npm error code EAI_AGAIN");
        assert!(matches!(away, InstallError::OutOfReach { .. }));
        let away = kind(
            "WARNING: Retrying after connection broken by 'NewConnectionError'\n\
             ERROR: No matching distribution found for x==1.0.0",
        );
        assert!(matches!(away, InstallError::OutOfReach { .. }));
        assert!(matches!(kind("ENOSPC"), InstallError::Failed { .. }));
    }
}
