//! Inspects one path where an agent CLI may be.

use std::fmt;
use std::path::{Path, PathBuf};

use od_protocol::ErrorKind;

use super::os;

/// What a path is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Candidate {
    /// An executable file.
    Usable(PathBuf),
    /// Something that cannot be started.
    Unusable(PathBuf, Flaw),
    /// Nothing.
    Absent,
}

/// Why something cannot be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It is a folder.
    Folder,
    /// It is a file without execute permission.
    NotExecutable,
    /// It is a link whose target does not exist.
    BrokenLink,
    /// It is neither a file nor a folder, or its metadata cannot be read.
    Unreadable,
}

impl Flaw {
    /// The rest of a sentence that starts with the path.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Folder => "is a folder",
            Self::NotExecutable => "is not executable",
            Self::BrokenLink => "is a link to a file that does not exist",
            Self::Unreadable => "cannot be read",
        }
    }

    /// A broken link is a missing CLI; the others are a CLI that does not start.
    pub(super) fn error_kind(self) -> ErrorKind {
        match self {
            Self::BrokenLink => ErrorKind::CliNotFound,
            Self::Folder | Self::NotExecutable | Self::Unreadable => ErrorKind::CliSpawnFailed,
        }
    }

    /// Returns the command that fixes it, if one does.
    pub(super) fn hint(self, path: &Path) -> Option<String> {
        (self == Self::NotExecutable).then(|| os::make_executable_command(path))
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

/// Inspects exactly this path.
pub(super) fn at(path: &Path) -> Candidate {
    let flaw = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Flaw::Folder,
        Ok(metadata) if !metadata.is_file() => Flaw::Unreadable,
        Ok(_) if os::is_executable(path) => return Candidate::Usable(path.to_owned()),
        Ok(_) => Flaw::NotExecutable,
        Err(_) => match path.symlink_metadata() {
            Ok(link) if link.is_symlink() => Flaw::BrokenLink,
            Ok(_) => Flaw::Unreadable,
            Err(_) => return Candidate::Absent,
        },
    };
    Candidate::Unusable(path.to_owned(), flaw)
}

/// Inspects a program's name in a folder, with the platform's extensions (`acme.cmd`).
pub(super) fn in_folder(folder: &Path, name: &str) -> Candidate {
    match which::which_in(name, Some(folder), folder) {
        Ok(path) => Candidate::Usable(path),
        Err(_) => at(&folder.join(name)),
    }
}
