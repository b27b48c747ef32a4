//! Reads the version of an install from its own files: a package's metadata, or a folder named after
//! the version.

use std::path::{Component, Path, PathBuf};

use od_protocol::Evidence;

use super::{CliVersion, npm, python, shim};

/// What installed an agent CLI, according to its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installer {
    /// npm, pnpm, yarn or bun.
    Npm,
    /// pip, pipx or uv.
    Python,
    /// Homebrew.
    Homebrew,
    /// The CLI's own installer, which keeps a folder per version.
    Own,
}

impl Installer {
    /// The install methods of a manifest that mean this tool.
    pub fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Npm => &["npm", "pnpm", "yarn", "bun"],
            Self::Python => &["pip", "pipx", "uv"],
            Self::Homebrew => &["brew"],
            Self::Own => &["script"],
        }
    }
}

/// The metadata of an install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Its version.
    pub version: String,
    /// What installed it.
    pub installer: Installer,
    /// The file or folder it was read from.
    pub source: PathBuf,
}

impl Metadata {
    pub(crate) fn evidence(&self) -> Evidence {
        Evidence {
            signal: "version".to_owned(),
            subject: self.source.display().to_string(),
            found: true,
            detail: Some(self.version.clone()),
        }
    }
}

/// Reads an install's own metadata; `None` when it has none. A few small files, no process.
pub fn from_metadata(cli: &Path) -> Option<Metadata> {
    let resolved = cli.canonicalize().ok()?;
    of_file(&resolved).or_else(|| of_file(&shim::target(&resolved)?.canonicalize().ok()?))
}

fn of_file(file: &Path) -> Option<Metadata> {
    npm::metadata(file).or_else(|| python::metadata(file)).or_else(|| versioned_folder(file))
}

/// `versions/2.1.197` (a file), `versions/2025.09.18-7ae6800/agent`, `Cellar/acme/0.166.0/…`. A
/// deeper `versions/3.12.1/bin/x` is the version of an interpreter.
fn versioned_folder(file: &Path) -> Option<Metadata> {
    let components: Vec<&str> = file
        .components()
        .map(|component| match component {
            Component::Normal(name) => name.to_str().unwrap_or_default(),
            _ => "",
        })
        .collect();
    let position = |name: &str| components.iter().rposition(|component| *component == name);
    let foreign = ["node_modules", "site-packages"].iter().any(|name| position(name).is_some());
    let homebrew = position("Cellar").or_else(|| position("Caskroom")).map(|index| index + 2);
    let own = position("versions").map(|index| index + 1).filter(|index| {
        // The file itself, or a file directly inside.
        components.len() - index <= 2
    });
    let (index, installer) = match (homebrew, own) {
        (Some(index), _) if !foreign => (index, Installer::Homebrew),
        (None, Some(index)) => (index, Installer::Own),
        _ => return None,
    };
    // Homebrew appends the number of its own rebuild after an underscore.
    let version = components.get(index)?.split('_').next()?;
    CliVersion::parse(version)?;
    let is_version = version.starts_with(|first: char| first.is_ascii_digit() || first == 'v');
    is_version.then(|| Metadata {
        version: version.strip_prefix('v').unwrap_or(version).to_owned(),
        installer,
        source: file.components().take(index + 1).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_read_from_folder_names() {
        let found = |path: &str| {
            versioned_folder(Path::new(path)).map(|metadata| (metadata.version, metadata.installer))
        };
        let some = |version: &str, installer| Some((version.to_owned(), installer));
        assert_eq!(
            found("/home/a/.local/share/acme/versions/2.1.197"),
            some("2.1.197", Installer::Own)
        );
        assert_eq!(
            found("/home/a/.local/share/acme-agent/versions/2025.09.18-7ae6800/acme-agent"),
            some("2025.09.18-7ae6800", Installer::Own)
        );
        assert_eq!(
            found("/opt/homebrew/Cellar/acme/0.166.0_1/bin/acme"),
            some("0.166.0", Installer::Homebrew)
        );
        assert_eq!(
            found("/opt/homebrew/Caskroom/acme/0.166.0/acme-aarch64"),
            some("0.166.0", Installer::Homebrew)
        );
        assert_eq!(found("/home/a/.pyenv/versions/3.12.1/bin/acme"), None);
        assert_eq!(found("/home/a/.nvm/versions/node/v22.1.0/bin/x"), None);
        assert_eq!(found("/opt/homebrew/Cellar/node/22.1.0/lib/node_modules/x/cli.js"), None);
        assert_eq!(found("/usr/bin/acme"), None);
        assert_eq!(found("/home/a/versions/latest/x"), None);
    }
}
