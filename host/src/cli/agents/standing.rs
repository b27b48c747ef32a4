//! Whether an agent can run, and what it needs otherwise. Pure functions over what was detected.

use od_host::agents::Agent;
use od_protocol::{AuthState, DetectAdapterResult, InstallMethod};

/// How an agent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It can run.
    Ready,
    /// Its agent CLI is not installed.
    NotInstalled,
    /// Its agent CLI is too old.
    TooOld,
    /// Nobody is logged in, or no longer.
    NotAuthenticated,
    /// Its adapter could not tell.
    AdapterFailed,
}

impl Standing {
    pub(super) fn of(agent: &Agent) -> Self {
        match &agent.detected {
            Err(_) => Self::AdapterFailed,
            Ok(detected) if !detected.installed => Self::NotInstalled,
            Ok(detected) if detected.meets_min == Some(false) => Self::TooOld,
            Ok(detected) => match detected.auth.state {
                AuthState::Missing | AuthState::Expired => Self::NotAuthenticated,
                _ => Self::Ready,
            },
        }
    }

    /// The word for programs.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::NotInstalled => "not_installed",
            Self::TooOld => "version_unsupported",
            Self::NotAuthenticated => "not_authenticated",
            Self::AdapterFailed => "adapter_failed",
        }
    }
}

/// What to type so that the agent can run; `None` when it can, or when nobody knows.
pub(super) fn fix(agent: &Agent) -> Option<String> {
    let detected = match &agent.detected {
        Ok(detected) => detected,
        Err(error) => return error.hint.clone(),
    };
    match Standing::of(agent) {
        Standing::NotInstalled | Standing::TooOld => install(agent, detected),
        Standing::NotAuthenticated => log_in(agent, detected),
        Standing::Ready | Standing::AdapterFailed => None,
    }
}

fn install(agent: &Agent, detected: &DetectAdapterResult) -> Option<String> {
    let here = |method: &&InstallMethod| {
        method.platform == "any" || method.platform == std::env::consts::OS
    };
    let method = agent.manifest.cli.install.iter().find(here);
    detected.guidance.clone().or_else(|| method.map(|method| method.command.clone()))
}

fn log_in(agent: &Agent, detected: &DetectAdapterResult) -> Option<String> {
    let command = || agent.manifest.auth.login_command.clone();
    let variable = || agent.manifest.auth.env.first().map(|name| format!("set {name}"));
    detected.auth.guidance.clone().or_else(command).or_else(variable)
}
