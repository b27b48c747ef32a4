//! Rejected and shadowed adapters, and the state of each agent.

use od_protocol::AuthState;
use od_protocol::adapter::DetectAdapterResult;

use super::Check;
use crate::agents::{Agent, Readiness, Refresh};
use crate::discover::{Discovery, pins};
use crate::host::Host;
use crate::settings::Settings;

pub(super) async fn check(host: &Host) -> Vec<Check> {
    let discovery = host.discover().await;
    let mut checks = rejected_and_shadowed(&discovery);
    if discovery.adapters.is_empty() {
        checks.push(Check::fail(
            "adapters",
            "no adapter found",
            "install one beside od-host, in the adapters folder of OD_HOME, or on PATH",
        ));
    }
    checks.extend(unknown_agents_in_settings(host.settings(), &discovery));
    let agents = host.agents(Refresh::WhenStale).await;
    checks.extend(agents.iter().map(agent));
    checks.extend(host.active_agent().and_then(|id| active(&id, &agents)));
    checks.extend(pins::check(host.home()).err().map(|reason| {
        let file = host.home().trust_file().display().to_string();
        let found = format!("the pins in {file} are ignored: {reason}");
        Check::fail(
            "trust.pins",
            found,
            format!("check {file}; remove it if you did not create it"),
        )
    }));
    checks
}

/// Settings of unknown agents: usually a typing mistake in the name.
fn unknown_agents_in_settings(settings: &Settings, discovery: &Discovery) -> Vec<Check> {
    let found = discovery.adapters.iter().map(|adapter| adapter.id.as_str());
    let rejected = discovery.rejected.iter().filter_map(|rejected| rejected.id.as_deref());
    let known: Vec<&str> = found.chain(rejected).collect();
    let unknown = settings.agents.keys().filter(|id| !known.contains(&id.as_str()));
    let check = |id: &String| {
        let found = format!("settings.toml has [agents.{id}], but no agent has this id");
        let fix = "correct or remove it; list the agents: od-host agents";
        Check::warn("settings.agents", found, fix)
    };
    unknown.map(check).collect()
}

/// Warns when the active agent cannot run.
fn active(id: &str, agents: &[Agent]) -> Option<Check> {
    let agent = agents.iter().find(|agent| agent.id == id);
    let found = match agent {
        None => "does not exist".to_owned(),
        Some(agent) => format!("cannot run: {}", agent.problem()?.message),
    };
    let fix = agent
        .and_then(Agent::fix)
        .unwrap_or_else(|| "choose another agent: od-host use AGENT".to_owned());
    Some(Check::warn("agent.active", format!("the active agent {id} {found}"), fix))
}

fn rejected_and_shadowed(discovery: &Discovery) -> Vec<Check> {
    let rejected = discovery.rejected.iter().map(|rejected| {
        let name = rejected
            .id
            .as_deref()
            .map_or("adapters.folder".to_owned(), |id| format!("adapter.{id}"));
        let found = format!("{} is rejected: {}", rejected.path.display(), rejected.reason);
        Check::warn(name, found, rejected.fix.clone())
    });
    let shadowed = discovery.shadowed.iter().map(|shadowed| {
        Check::warn(
            format!("adapter.{}", shadowed.id),
            format!("{} is shadowed by {}", shadowed.path.display(), shadowed.by.display()),
            "remove one of them",
        )
    });
    rejected.chain(shadowed).collect()
}

fn agent(agent: &Agent) -> Check {
    let name = format!("agent.{}", agent.id);
    let or = |fix: Option<String>, otherwise: &str| fix.unwrap_or_else(|| otherwise.to_owned());
    match (&agent.detected, agent.readiness()) {
        (Err(error), _) => Check::fail(
            name,
            format!("{} cannot detect its agent CLI: {error}", agent.adapter_path.display()),
            or(agent.fix(), "reinstall the adapter"),
        ),
        (Ok(_), Readiness::NotInstalled) => {
            let names = agent.manifest.cli.names.join(" or ");
            let fix = or(agent.fix(), "see the documentation of the agent");
            Check::warn(name, format!("{names} is not installed"), fix)
        }
        (Ok(detected), Readiness::TooOld) => {
            let least = agent.manifest.cli.version_min.as_deref().unwrap_or("the minimum version");
            let found = format!("{} is older than {least}", cli(detected));
            Check::fail(name, found, or(agent.fix(), "see the documentation of the agent"))
        }
        (Ok(detected), Readiness::NotAuthenticated) => {
            let what = match detected.auth.state {
                AuthState::Expired => "the login has expired",
                _ => "not logged in",
            };
            let fix = or(agent.fix(), "log in to the agent");
            Check::warn(name, format!("{}, {what}", cli(detected)), fix)
        }
        (Ok(detected), _) => {
            let login = match detected.auth.state {
                _ if agent.manifest.auth.methods.is_empty() => "no login needed",
                AuthState::Ok => "logged in",
                _ => "login state unknown",
            };
            Check::ok(name, format!("{}, {login}", cli(detected)))
        }
    }
}

fn cli(detected: &DetectAdapterResult) -> String {
    let path = detected.path.as_deref().unwrap_or("built in");
    let version = detected.version.as_deref().unwrap_or("(unknown version)");
    format!("{path} {version}")
}
