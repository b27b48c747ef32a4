//! What lies at one path where an agent CLI might be.

use std::fmt;
use std::path::{Path, PathBuf};

use od_protocol::ErrorKind;

use super::os;

/// What lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Candidate {
    /// A file that can be started.
    Usable(PathBuf),
    /// Something that cannot.
    Spoiled(PathBuf, Flaw),
    /// Nothing.
    Absent,
}

/// Why a thing cannot be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It is a folder.
    Folder,
    /// It is a file without the right to be executed.
    NotExecutable,
    /// It is a link whose target is gone.
    BrokenLink,
    /// It is neither a file nor a folder, or cannot be looked at.
    Unusable,
}

impl Flaw {
    /// The rest of a sentence that starts with the path.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Folder => "is a folder",
            Self::NotExecutable => "is not executable",
            Self::BrokenLink => "is a link to a file that is gone",
            Self::Unusable => "cannot be read",
        }
    }

    /// A link to nothing is no agent CLI; the others are one that does not start.
    pub(super) fn error_kind(self) -> ErrorKind {
        match self {
            Self::BrokenLink => ErrorKind::CliNotFound,
            Self::Folder | Self::NotExecutable | Self::Unusable => ErrorKind::CliSpawnFailed,
        }
    }

    /// What to type, where a command mends it.
    pub(super) fn hint(self, path: &Path) -> Option<String> {
        (self == Self::NotExecutable).then(|| os::make_executable_command(path))
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

/// What lies at exactly this path.
pub(super) fn at(path: &Path) -> Candidate {
    let flaw = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Flaw::Folder,
        Ok(metadata) if !metadata.is_file() => Flaw::Unusable,
        Ok(_) if os::is_executable(path) => return Candidate::Usable(path.to_owned()),
        Ok(_) => Flaw::NotExecutable,
        Err(_) => match path.symlink_metadata() {
            Ok(link) if link.is_symlink() => Flaw::BrokenLink,
            Ok(_) => Flaw::Unusable,
            Err(_) => return Candidate::Absent,
        },
    };
    Candidate::Spoiled(path.to_owned(), flaw)
}

/// What a folder holds under a program's name; the platform's extensions count (`claude.cmd`).
pub(super) fn in_folder(folder: &Path, name: &str) -> Candidate {
    match which::which_in(name, Some(folder), folder) {
        Ok(path) => Candidate::Usable(path),
        Err(_) => at(&folder.join(name)),
    }
}
