//! An agent CLI that was found, with what one run needs to know about it.

use std::path::{Path, PathBuf};

use od_protocol::{Credential, Evidence, TestedVersion};

use super::Flags;

/// An agent CLI that was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Install {
    /// The executable.
    pub path: PathBuf,
    /// Arguments in front of all others (the switch of an embedded agent).
    pub leading_args: Vec<String>,
    /// Folders that the CLI needs on PATH besides its own.
    pub extra_path: Vec<PathBuf>,
    /// Its version, when the install's own metadata or a cached answer has it.
    pub version: Option<String>,
    /// How the version compares with the one the adapter was tested with.
    pub tested_version: Option<TestedVersion>,
    /// The flags in its `--help`, when a detection has read it.
    pub flags: Option<Flags>,
    /// What the search inspected.
    pub evidence: Vec<Evidence>,
    /// The credential that pays for the run.
    pub credential: Option<Credential>,
    /// The host can answer approvals; without it the CLI must not ask.
    pub host_answers_approvals: bool,
    /// A secret of this run, the same in its invocation and its mapper.
    pub secret: Secret,
}

impl Install {
    /// Whether the CLI may have a flag: `false` only when a help page was read that does not list
    /// it. Do not use it for a hidden flag.
    ///
    /// ```
    /// use od_sdk::{Flags, Install};
    ///
    /// assert!(Install::default().may_have("--effort"), "no help page was read");
    /// let flags = Some(Flags::parse("  --model <id>"));
    /// let install = Install { flags, ..Install::default() };
    /// assert!(install.may_have("--model") && !install.may_have("--effort"));
    /// ```
    pub fn may_have(&self, flag: &str) -> bool {
        self.flags.as_ref().is_none_or(|flags| flags.contains(flag))
    }

    /// The folders the CLI needs on PATH: its own, because a script's interpreter may be beside it,
    /// and the extra ones.
    pub fn path_folders(&self) -> Vec<PathBuf> {
        let own = self.path.parent().filter(|folder| folder.is_absolute()).map(Path::to_owned);
        own.into_iter().chain(self.extra_path.iter().cloned()).collect()
    }
}

/// A random secret for one run, such as the password of a server only this run may use. It is never
/// printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a secret that cannot be guessed.
    pub fn fresh() -> Self {
        Self(uuid::Uuid::new_v4().simple().to_string())
    }

    /// Returns the secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret")
    }
}
