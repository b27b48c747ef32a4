//! Adapters that were passed over, and what each of the others found.

use od_protocol::adapter::DetectAdapterResult;
use od_protocol::AuthState;

use super::Check;
use crate::agents::{Agent, Refresh, Readiness};
use crate::discover::{Discovery, pins};
use crate::host::Host;
use crate::settings::Settings;

pub(super) async fn check(host: &Host) -> Vec<Check> {
    let discovery = host.discover().await;
    let mut checks = passed_over(&discovery);
    if discovery.adapters.is_empty() {
        checks.push(Check::fail(
            "adapters",
            "no adapter was found",
            "install one beside od-host, into the adapters folder of OD_HOME, or on PATH",
        ));
    }
    checks.extend(strange_settings(host.settings(), &discovery));
    let agents = host.agents(Refresh::WhenStale).await;
    checks.extend(agents.iter().map(agent));
    checks.extend(host.active_agent().and_then(|id| active(&id, &agents)));
    checks.extend(pins::check(host.home()).err().map(|reason| {
        let file = host.home().trust_file().display().to_string();
        let found = format!("the pins in {file} do not count: {reason}");
        Check::fail(
            "trust.pins",
            found,
            format!("look at {file} and remove it if you do not know it"),
        )
    }));
    checks
}

/// Settings of agents that are not there: mostly a name with a mistake in it.
fn strange_settings(settings: &Settings, discovery: &Discovery) -> Vec<Check> {
    let found = discovery.adapters.iter().map(|adapter| adapter.id.as_str());
    let rejected = discovery.rejected.iter().filter_map(|rejected| rejected.id.as_deref());
    let known: Vec<&str> = found.chain(rejected).collect();
    let strange = settings.agents.keys().filter(|id| !known.contains(&id.as_str()));
    let check = |id: &String| {
        let found = format!("settings.toml has [agents.{id}], and there is no such agent");
        let fix = "correct the name or remove it; `od-host agents` lists the agents";
        Check::warn("settings.agents", found, fix)
    };
    strange.map(check).collect()
}

/// Runs that name no agent go to one that cannot run.
fn active(id: &str, agents: &[Agent]) -> Option<Check> {
    let agent = agents.iter().find(|agent| agent.id == id);
    let found = match agent {
        None => "is not there".to_owned(),
        Some(agent) => format!("cannot run: {}", agent.problem()?.message),
    };
    let fix = agent.and_then(Agent::fix).unwrap_or_else(|| "od-host use another one".to_owned());
    Some(Check::warn("agent.active", format!("the active agent {id} {found}"), fix))
}

fn passed_over(discovery: &Discovery) -> Vec<Check> {
    let rejected = discovery.rejected.iter().map(|rejected| {
        let name = rejected
            .id
            .as_deref()
            .map_or("adapters.folder".to_owned(), |id| format!("adapter.{id}"));
        let found = format!("{} is passed over: {}", rejected.path.display(), rejected.reason);
        Check::warn(name, found, rejected.fix.clone())
    });
    let shadowed = discovery.shadowed.iter().map(|shadowed| {
        Check::warn(
            format!("adapter.{}", shadowed.id),
            format!("{} is hidden by {}", shadowed.path.display(), shadowed.by.display()),
            "remove the one you do not want",
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
            format!("{} cannot tell: {error}", agent.adapter_path.display()),
            or(agent.fix(), "reinstall the adapter"),
        ),
        (Ok(_), Readiness::NotInstalled) => {
            let names = agent.manifest.cli.names.join(" or ");
            let fix = or(agent.fix(), "see the agent's own page");
            Check::warn(name, format!("{names} is not installed"), fix)
        }
        (Ok(detected), Readiness::TooOld) => {
            let least =
                agent.manifest.cli.version_min.as_deref().unwrap_or("the oldest that works");
            let found = format!("{} is older than {least}", cli(detected));
            Check::fail(name, found, or(agent.fix(), "see the agent's own page"))
        }
        (Ok(detected), Readiness::NotAuthenticated) => {
            let what = match detected.auth.state {
                AuthState::Expired => "the login has run out",
                _ => "nobody is logged in",
            };
            let fix = or(agent.fix(), "log in to the agent");
            Check::warn(name, format!("{}, {what}", cli(detected)), fix)
        }
        (Ok(detected), _) => {
            let login = match detected.auth.state {
                _ if agent.manifest.auth.methods.is_empty() => "no login needed",
                AuthState::Ok => "logged in",
                _ => "the login cannot be checked from here",
            };
            Check::ok(name, format!("{}, {login}", cli(detected)))
        }
    }
}

fn cli(detected: &DetectAdapterResult) -> String {
    let path = detected.path.as_deref().unwrap_or("built in");
    let version = detected.version.as_deref().unwrap_or("of unknown version");
    format!("{path} {version}")
}
