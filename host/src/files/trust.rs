//! Which files the host may read or execute: only those that no other user than root could have written.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{check_file, check_folder, check_private};
#[cfg(windows)]
pub(crate) use windows::{check_file, check_folder, check_private};

use serde::Serialize;

/// Why a candidate is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// A relative or empty folder name.
    RelativeFolder,
    /// Group or others can write the file.
    WritableFile,
    /// Group or others can write the folder.
    WritableFolder,
    /// The file belongs to another user.
    ForeignFile,
    /// The folder belongs to another user.
    ForeignFolder,
    /// The file cannot be executed.
    NotExecutable,
    /// The metadata of the file cannot be read.
    Unreadable,
    /// The policy is `pinned`, and the sha256 of the file is not listed.
    NotPinned,
    /// `--manifest` took too long.
    ManifestTimeout,
    /// `--manifest` failed or did not print a manifest.
    ManifestInvalid,
    /// The manifest has a major version that this host does not support.
    ManifestMajor,
    /// `adapterId` differs from the file name.
    WrongId,
    /// Host and adapter support no common protocol version.
    Protocol,
    /// The adapter does not support this platform.
    Platform,
}

/// Why a file or folder is not trusted, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) rule: Rule,
    pub(crate) reason: String,
    pub(crate) fix: String,
}
