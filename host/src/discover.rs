//! Which adapters are there: the folders in order, the name rule, first wins; the rest explained.

use std::path::PathBuf;

use od_protocol::Manifest;
use serde::Serialize;

/// Where a folder of adapters comes from, in the order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// `--adapter-dir`.
    AdapterDir,
    /// `$OD_ADAPTER_PATH`.
    AdapterPath,
    /// Beside the host's own executable.
    BesideHost,
    /// `$OD_HOME/adapters`.
    UserFolder,
    /// `PATH`.
    Path,
}

/// An adapter that may be used.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// The id: the file name after `od-adapter-`.
    pub id: String,
    /// The executable, as found.
    pub path: PathBuf,
    /// Where it was found.
    pub origin: Origin,
    /// What it says about itself.
    pub manifest: Manifest,
    /// Of the executable, in hex.
    pub sha256: String,
}

/// An adapter that is hidden by an earlier one of the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shadowed {
    /// The id.
    pub id: String,
    /// The executable that is not used.
    pub path: PathBuf,
    /// The one that is.
    pub by: PathBuf,
}

/// A file or folder that was passed over, with the reason and the fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    /// The id, when the thing is an executable with a proper name.
    pub id: Option<String>,
    /// The executable or folder.
    pub path: PathBuf,
    /// Where it was found.
    pub origin: Origin,
    /// Which rule it breaks.
    pub rule: Rule,
    /// Why, for people.
    pub reason: String,
    /// What to type or change.
    pub fix: String,
}

/// Why a candidate was passed over.
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
    /// The file belongs to a stranger.
    ForeignFile,
    /// The folder belongs to a stranger.
    ForeignFolder,
    /// The file cannot be executed.
    NotExecutable,
    /// The file cannot be looked at.
    Unreadable,
    /// Its hash is not listed, and the policy is `pinned`.
    NotPinned,
    /// `--manifest` took too long.
    ManifestTimeout,
    /// `--manifest` failed or printed no manifest.
    ManifestInvalid,
    /// The manifest is of a major this host does not know.
    ManifestMajor,
    /// `adapterId` differs from the file name.
    WrongId,
    /// No protocol major in common.
    Protocol,
    /// The adapter does not work on this platform.
    Platform,
}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// In order of their ids.
    pub adapters: Vec<Adapter>,
    /// Hidden by an earlier one.
    pub shadowed: Vec<Shadowed>,
    /// Passed over.
    pub rejected: Vec<Rejected>,
}
