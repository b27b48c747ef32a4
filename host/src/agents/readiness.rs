//! Whether an agent can run, what it needs otherwise, and its row in the API. Pure functions over a detection result.

use od_protocol::adapter::DetectAdapterResult;
use od_protocol::api::{AgentProblem, AgentStatus};
use od_protocol::{AuthState, ErrorKind, InstallMethod, Manifest};

use super::Agent;

/// Whether an agent can run, or the first thing it lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// It can run.
    Ready,
    /// Its agent CLI is not installed.
    NotInstalled,
    /// Its agent CLI is too old.
    TooOld,
    /// The user is not logged in, or the login has expired.
    NotAuthenticated,
    /// Its adapter failed to detect it.
    AdapterFailed,
}

impl Agent {
    /// Whether the agent can run, or the first thing it lacks.
    pub fn readiness(&self) -> Readiness {
        match &self.detected {
            Err(_) => Readiness::AdapterFailed,
            Ok(detected) if !detected.installed => Readiness::NotInstalled,
            Ok(detected) if detected.meets_min == Some(false) => Readiness::TooOld,
            Ok(detected) => match detected.auth.state {
                AuthState::Missing | AuthState::Expired => Readiness::NotAuthenticated,
                _ => Readiness::Ready,
            },
        }
    }

    /// The command that makes the agent ready; `None` when it is ready or no command is known.
    pub fn fix(&self) -> Option<String> {
        let detected = match &self.detected {
            Ok(detected) => detected,
            Err(error) => return error.hint.clone(),
        };
        match self.readiness() {
            Readiness::NotInstalled | Readiness::TooOld => install(self, detected),
            Readiness::NotAuthenticated => log_in(self, detected),
            Readiness::Ready | Readiness::AdapterFailed => None,
        }
    }

    /// Why the agent cannot be used now; `None` when it can.
    pub fn problem(&self) -> Option<AgentProblem> {
        let detected = match &self.detected {
            Ok(detected) => detected,
            Err(error) => {
                let error = error.clone().into_error_object();
                let fix = error.hint().map(str::to_owned);
                return Some(AgentProblem { kind: error.kind(), message: error.message, fix });
            }
        };
        let name = &self.manifest.display_name;
        let (kind, message) = match self.readiness() {
            Readiness::NotInstalled => (ErrorKind::CliNotFound, not_installed(self, detected)),
            Readiness::TooOld => (ErrorKind::CliVersionUnsupported, too_old(self, detected)),
            Readiness::NotAuthenticated if detected.auth.state == AuthState::Expired => {
                (ErrorKind::AuthExpired, format!("the login of {name} has expired"))
            }
            Readiness::NotAuthenticated => {
                (ErrorKind::AuthMissing, format!("not logged in to {name}"))
            }
            Readiness::Ready | Readiness::AdapterFailed => return None,
        };
        Some(AgentProblem { kind, message, fix: self.fix() })
    }
}

/// The ways to install an agent CLI that work on this platform.
pub fn install_methods(manifest: &Manifest) -> impl Iterator<Item = &InstallMethod> {
    let here = |method: &&InstallMethod| {
        method.platform == "any" || method.platform == std::env::consts::OS
    };
    manifest.cli.install.iter().filter(here)
}

fn install(agent: &Agent, detected: &DetectAdapterResult) -> Option<String> {
    let listed = || install_methods(&agent.manifest).next().map(|method| method.command.clone());
    detected.guidance.clone().or_else(listed)
}

fn log_in(agent: &Agent, detected: &DetectAdapterResult) -> Option<String> {
    let command = || agent.manifest.auth.login_command.clone();
    let variable = || agent.manifest.auth.env.first().map(|name| format!("set {name}"));
    detected.auth.guidance.clone().or_else(command).or_else(variable)
}

/// Names what was searched for; prefers the detail that the adapter reports.
fn not_installed(agent: &Agent, detected: &DetectAdapterResult) -> String {
    let name = &agent.manifest.display_name;
    let search = detected.evidence.iter().find(|evidence| evidence.signal == "path");
    match search.and_then(|evidence| evidence.detail.as_deref()) {
        Some(detail) => format!("{name} is not installed: {detail}"),
        None => format!("{name} is not installed: no {}", agent.manifest.cli.names.join(" or ")),
    }
}

fn too_old(agent: &Agent, detected: &DetectAdapterResult) -> String {
    let path = detected.path.as_deref().unwrap_or(&agent.manifest.display_name);
    let version = detected.version.as_deref().unwrap_or("an unknown version");
    let least = agent.manifest.cli.version_min.as_deref().unwrap_or("the minimum version");
    format!("{path} is {version}, older than {least}")
}

impl From<&Agent> for AgentStatus {
    fn from(agent: &Agent) -> Self {
        let found = agent.found();
        Self {
            id: agent.id.clone(),
            display_name: agent.manifest.display_name.clone(),
            vendor: agent.manifest.vendor.clone(),
            adapter_version: agent.manifest.version.clone(),
            adapter_path: agent.adapter_path.display().to_string(),
            ready: agent.may_run(),
            active: false,
            installed: agent.is_installed(),
            path: found.and_then(|found| found.path.clone()),
            version: found.and_then(|found| found.version.clone()),
            tested_version: found.and_then(|found| found.tested_version),
            auth: found.map(|found| found.auth.clone()),
            config_dir: found.and_then(|found| found.config_dir.clone()),
            skills_dir: found.and_then(|found| found.skills_dir.clone()),
            capabilities: found.map_or(&agent.manifest.capabilities, |it| &it.capabilities).clone(),
            evidence: found.map(|found| found.evidence.clone()).unwrap_or_default(),
            problem: agent.problem(),
            detected_at: agent.detected_at,
            stale: agent.stale,
        }
    }
}
