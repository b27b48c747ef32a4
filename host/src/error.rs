//! Errors of the host: a kind to branch on, a message, a hint, and the exit status.

use std::path::Path;

use od_protocol::{Done, DoneStatus, ErrorKind, ErrorObject, api};

/// The exit statuses of `od-host`; part of its contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    /// The run completed.
    Completed = 0,
    /// Something went wrong.
    Failed = 1,
    /// The command or request is not valid.
    Usage = 2,
    /// The agent is not installed or cannot be used.
    AgentUnavailable = 3,
    /// The agent is installed, but the user is not logged in.
    NotAuthenticated = 4,
    /// A time limit was reached.
    TimedOut = 124,
    /// The run was cancelled.
    Cancelled = 130,
}

impl ExitStatus {
    /// The exit status for the end of a run.
    pub fn of_done(done: &Done) -> Self {
        match done.status {
            DoneStatus::Completed => Self::Completed,
            DoneStatus::Cancelled => Self::Cancelled,
            DoneStatus::TimedOut => Self::TimedOut,
            _ => done.error_kind.as_ref().map_or(Self::Failed, Self::of_kind),
        }
    }

    /// The exit status for a kind of error.
    pub fn of_kind(kind: &ErrorKind) -> Self {
        match kind {
            ErrorKind::AuthMissing | ErrorKind::AuthExpired | ErrorKind::AuthWrongAccount => {
                Self::NotAuthenticated
            }
            ErrorKind::CliNotFound
            | ErrorKind::CliVersionUnsupported
            | ErrorKind::CliSpawnFailed
            | ErrorKind::UnsupportedProtocol => Self::AgentUnavailable,
            ErrorKind::CapabilityUnsupported
            | ErrorKind::ConfigInvalid
            | ErrorKind::InvalidParams
            | ErrorKind::ModelUnknown
            | ErrorKind::PromptTooLarge
            | ErrorKind::RunUnknown
            | ErrorKind::RunIdInUse
            | ErrorKind::SessionUnknown
            | ErrorKind::ApprovalUnknown => Self::Usage,
            ErrorKind::Timeout => Self::TimedOut,
            ErrorKind::RequestCancelled => Self::Cancelled,
            _ => Self::Failed,
        }
    }
}

/// The kind of an error, to branch on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The request is not valid: an empty prompt, a folder that does not exist.
    Usage,
    /// No adapter with that name was found, or no adapter exists.
    AgentUnknown,
    /// The adapter was found but may not or cannot be used.
    AgentRejected,
    /// The host's own files cannot be read or written.
    Storage,
    /// An error kind of the protocol, reported by the adapter or by the host on its behalf.
    Protocol(ErrorKind),
}

impl Failure {
    /// The name for programs (`--json`).
    pub fn as_str(&self) -> &str {
        match self {
            Self::Usage => "usage",
            Self::AgentUnknown => "agent_unknown",
            Self::AgentRejected => "agent_rejected",
            Self::Storage => "storage",
            Self::Protocol(kind) => kind.as_str(),
        }
    }
}

/// An error of the host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// The kind.
    pub failure: Failure,
    /// The action, its object and the reason: lowercase, without a final dot.
    pub message: String,
    /// What to type or change now.
    pub hint: Option<String>,
    /// The limit, capability or parameter that caused it, for programs.
    pub which: Option<String>,
}

impl HostError {
    /// An error of this kind with a message for people.
    pub fn new(failure: Failure, message: impl Into<String>) -> Self {
        Self { failure, message: message.into(), hint: None, which: None }
    }

    /// The request is not valid.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Failure::Usage, message)
    }

    /// An error with a kind of the protocol.
    pub fn protocol(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(Failure::Protocol(kind), message)
    }

    /// A file or folder of the host cannot be used. `tried` names the action and the path.
    pub fn storage(tried: impl std::fmt::Display, error: &std::io::Error) -> Self {
        let hint = match error.kind() {
            std::io::ErrorKind::PermissionDenied => {
                "check the owner of the folder, or set OD_HOME to another one"
            }
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                "free some space, or set OD_HOME to a folder on another disk"
            }
            _ => "run `od-host doctor` to check the host's folders",
        };
        Self::new(Failure::Storage, format!("{tried}: {error}")).with_hint(hint)
    }

    /// A file or folder of the host cannot be read, written, created or removed.
    pub(crate) fn file(action: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::storage(format!("cannot {action} {}", path.display()), error)
    }

    /// A background task panicked.
    pub(crate) fn panicked(action: &str, error: &tokio::task::JoinError) -> Self {
        Self::protocol(ErrorKind::Internal, format!("cannot {action}: {error}"))
            .with_hint("the log on stderr shows where it failed; please report it")
    }

    /// The host was built without a cargo feature that the request needs.
    pub fn missing_feature(what: &str, feature: &str) -> Self {
        Self::usage(format!("this od-host was built without {what}"))
            .with_hint("build it with all features: cargo build --release -p od-host")
            .with_which(feature)
    }

    /// Adds what to type or change now.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the limit, capability or parameter that caused it.
    #[must_use]
    pub fn with_which(mut self, which: impl Into<String>) -> Self {
        self.which = Some(which.into());
        self
    }

    /// Converts to the error object of the API.
    pub fn into_error_object(self) -> ErrorObject {
        let kind = match &self.failure {
            Failure::Usage => ErrorKind::from_wire(api::USAGE),
            Failure::AgentUnknown => ErrorKind::from_wire(api::AGENT_UNKNOWN),
            Failure::AgentRejected => ErrorKind::from_wire(api::AGENT_REJECTED),
            Failure::Storage => ErrorKind::from_wire(api::STORAGE),
            Failure::Protocol(kind) => kind.clone(),
        };
        let own = api::HOST_ERROR_KINDS.iter().find(|own| own.kind == kind.as_str());
        let mut error = ErrorObject::new(kind, self.message);
        if let Some(own) = own {
            error.code = own.code;
        }
        if let Some(data) = &mut error.data {
            data.hint = self.hint;
            data.which = self.which;
        }
        error
    }

    /// The exit status of a command that ends with this error.
    pub fn exit_status(&self) -> ExitStatus {
        match &self.failure {
            Failure::Usage => ExitStatus::Usage,
            Failure::AgentUnknown | Failure::AgentRejected => ExitStatus::AgentUnavailable,
            Failure::Storage => ExitStatus::Failed,
            // No run has started yet, so the agent is unavailable.
            Failure::Protocol(ErrorKind::PluginCrashed | ErrorKind::PluginHung) => {
                ExitStatus::AgentUnavailable
            }
            Failure::Protocol(kind) => ExitStatus::of_kind(kind),
        }
    }
}

impl From<ErrorObject> for HostError {
    fn from(error: ErrorObject) -> Self {
        let failure = Failure::Protocol(error.kind());
        let (hint, which) = error.data.map_or((None, None), |data| (data.hint, data.which));
        Self { failure, message: error.message, hint, which }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_feature_names_the_build_command() {
        let error = HostError::missing_feature("the API server", "serve");
        assert_eq!(error.message, "this od-host was built without the API server");
        assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("cargo build")));
        assert_eq!(error.which.as_deref(), Some("serve"));
        assert_eq!(error.exit_status(), ExitStatus::Usage);
    }
}
