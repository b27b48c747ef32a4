//! Adapters that were passed over, and what each of the others found.

use od_protocol::{AuthState, DetectAdapterResult};

use super::Check;
use crate::agents::{Agent, Refresh};
use crate::discover::Discovery;
use crate::host::Host;

pub(super) async fn examine(host: &Host) -> Vec<Check> {
    let discovery = host.discover().await;
    let mut checks = passed_over(&discovery);
    if discovery.adapters.is_empty() {
        checks.push(Check::fail(
            "adapters",
            "no adapter was found",
            "install one beside od-host, into the adapters folder of OD_HOME, or on PATH",
        ));
    }
    checks.extend(host.agents(Refresh::WhenStale).await.iter().map(agent));
    checks
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
    match &agent.detected {
        Err(error) => Check::fail(
            name,
            format!("{} cannot tell: {error}", agent.adapter_path.display()),
            error.hint.clone().unwrap_or_else(|| "reinstall the adapter".to_owned()),
        ),
        Ok(detected) if !detected.installed => {
            let names = agent.manifest.cli.names.join(" or ");
            Check::warn(name, format!("{names} is not installed"), install(agent, detected))
        }
        Ok(detected) => installed(name, agent, detected),
    }
}

fn installed(name: String, agent: &Agent, detected: &DetectAdapterResult) -> Check {
    let version = detected.version.as_deref().unwrap_or("of unknown version");
    let path = detected.path.as_deref().unwrap_or("built in");
    let found = format!("{path} {version}");
    if detected.meets_min == Some(false) {
        let least = agent.manifest.cli.version_min.as_deref().unwrap_or("the oldest that works");
        return Check::fail(
            name,
            format!("{found} is older than {least}"),
            install(agent, detected),
        );
    }
    let login = || {
        let command = agent.manifest.auth.login_command.clone();
        detected
            .auth
            .guidance
            .clone()
            .or(command)
            .unwrap_or_else(|| "log in to the agent".to_owned())
    };
    match detected.auth.state {
        AuthState::Missing => Check::warn(name, format!("{found}, nobody is logged in"), login()),
        AuthState::Expired => Check::warn(name, format!("{found}, the login has run out"), login()),
        _ if agent.manifest.auth.methods.is_empty() => {
            Check::ok(name, format!("{found}, no login needed"))
        }
        AuthState::Ok => Check::ok(name, format!("{found}, logged in")),
        _ => Check::ok(name, format!("{found}, the login cannot be checked from here")),
    }
}

fn install(agent: &Agent, detected: &DetectAdapterResult) -> String {
    let here = |platform: &str| platform == "any" || platform == std::env::consts::OS;
    let listed = agent.manifest.cli.install.iter().find(|method| here(&method.platform));
    detected
        .guidance
        .clone()
        .or_else(|| listed.map(|method| method.command.clone()))
        .unwrap_or_else(|| "see the agent's own page".to_owned())
}
