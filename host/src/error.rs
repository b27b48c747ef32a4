//! What goes wrong in the host: a kind to branch on, a text, a hint, and the exit status it means.

use od_protocol::{Done, DoneStatus, ErrorKind, ErrorObject, api};

/// The exit statuses of `od-host`; part of its contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    /// The run completed.
    Completed = 0,
    /// Something went wrong.
    Failed = 1,
    /// What was asked cannot work as asked.
    Usage = 2,
    /// The agent is not there or cannot be used.
    AgentUnavailable = 3,
    /// The agent is there, but nobody is logged in.
    NotAuthenticated = 4,
    /// A limit of time ran out.
    TimedOut = 124,
    /// It was told to stop.
    Cancelled = 130,
}

impl ExitStatus {
    /// What the end of a run means.
    pub fn of_done(done: &Done) -> Self {
        match done.status {
            DoneStatus::Completed => Self::Completed,
            DoneStatus::Cancelled => Self::Cancelled,
            DoneStatus::TimedOut => Self::TimedOut,
            _ => done.error_kind.as_ref().map_or(Self::Failed, Self::of_kind),
        }
    }

    /// What a kind of error means.
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

/// What went wrong, as a value to branch on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// What was asked cannot work as asked: an empty prompt, a folder that is not there.
    Usage,
    /// No adapter of that name was found, or none at all.
    AgentUnknown,
    /// The adapter was found but may not or cannot be used.
    AgentRejected,
    /// The host's own files cannot be read or written.
    Storage,
    /// The protocol has a word for it: the adapter said so, or the host says it for the adapter.
    Protocol(ErrorKind),
}

impl Failure {
    /// A word for programs (`--json`).
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
    /// What was tried, on what, why it failed: lowercase, without a final dot.
    pub message: String,
    /// What to type or change now.
    pub hint: Option<String>,
    /// Which limit, capability or parameter it is about, for programs.
    pub which: Option<String>,
}

impl HostError {
    /// An error of a kind, with the text for people.
    pub fn new(failure: Failure, message: impl Into<String>) -> Self {
        Self { failure, message: message.into(), hint: None, which: None }
    }

    /// What was asked cannot work as asked.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Failure::Usage, message)
    }

    /// An error the protocol has a word for.
    pub fn protocol(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(Failure::Protocol(kind), message)
    }

    /// A file or folder of the host could not be used. `tried` names the action and the path.
    pub fn storage(tried: impl std::fmt::Display, error: &std::io::Error) -> Self {
        let hint = match error.kind() {
            std::io::ErrorKind::PermissionDenied => {
                "check who owns the folder, or set OD_HOME to another one"
            }
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                "free some space, or set OD_HOME to a folder on another disk"
            }
            _ => "run `od-host doctor` to check the host's folders",
        };
        Self::new(Failure::Storage, format!("{tried}: {error}")).with_hint(hint)
    }

    /// Adds what to type or change now.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds which limit, capability or parameter it is about.
    #[must_use]
    pub fn with_which(mut self, which: impl Into<String>) -> Self {
        self.which = Some(which.into());
        self
    }

    /// The error object that a client of the API gets.
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
            // Before a run is accepted there is no run that could fail: the agent cannot be used.
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
