//! The environment of an agent CLI: the allowlist, what the manifest declares, what the adapter
//! sets, what the run sets. Never the whole inherited environment. Pure.

use std::collections::BTreeMap;

use od_protocol::Manifest;
use od_protocol::adapter::StartRunParams;
use od_protocol::environment::RUN_ID_VARIABLE;

use crate::{Install, Invocation, Machine};

/// Parts of a variable's name that mark its value as a secret.
const SECRET_NAME_PARTS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Returns the environment of an agent CLI.
pub(super) fn for_cli(
    machine: &Machine,
    manifest: &Manifest,
    install: &Install,
    invocation: &Invocation,
    start_run_params: &StartRunParams,
) -> BTreeMap<String, String> {
    let requirements = &manifest.requirements;
    let is_listed = |name: &str| {
        manifest.auth.env.iter().any(|listed| listed == name)
            || requirements.env.iter().any(|listed| listed.name == name)
            || invocation.pass_env.iter().any(|listed| listed == name)
    };
    let is_declared = |name: &str| is_listed(name) && !requirements.is_nesting_variable(name);
    let mut env = machine.allowed_env(is_declared, &install.path_folders());
    env.extend(invocation.env.clone());
    env.extend(start_run_params.env.clone());
    env.insert(RUN_ID_VARIABLE.to_owned(), start_run_params.run_id.clone());
    env
}

/// Returns the values that must never be shown: those of the manifest's credentials and secrets,
/// and those of the run's own variables whose names mark them as secret.
pub(super) fn secret_values(
    machine: &Machine,
    manifest: &Manifest,
    start_run_params: &StartRunParams,
) -> Vec<String> {
    let declared = manifest.requirements.env.iter().filter(|variable| variable.secret);
    let names = manifest.auth.env.iter().chain(declared.map(|variable| &variable.name));
    let inherited = names.filter_map(|name| machine.var(name));
    let given = start_run_params
        .env
        .iter()
        .filter(|(name, _)| manifest.auth.env.contains(name) || is_secret_name(name))
        .map(|(_, value)| value.as_str());
    inherited.chain(given).map(str::to_owned).collect()
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_NAME_PARTS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_declared_or_given_variables_cross() {
        let machine = Machine {
            env: [
                ("PATH", "/usr/bin"),
                ("LC_ALL", "C"),
                ("AGENT_KEY", "sk-1"),
                ("AWS_SECRET_ACCESS_KEY", "canary"),
                ("ACME_NESTED", "1"),
                ("TERM", "xterm"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
            ..Machine::default()
        };
        let mut manifest = Manifest::new("x", "X");
        manifest.auth.env = vec!["AGENT_KEY".to_owned(), "ACME_NESTED".to_owned()];
        manifest.requirements.nesting_env = vec!["ACME_NESTED".to_owned()];
        let install = Install { path: "/opt/agent/bin/x".into(), ..Install::default() };
        let mut start_run_params = StartRunParams { run_id: "r".into(), ..Default::default() };
        start_run_params.env.insert("EXTRA_TOKEN".into(), "t".into());
        let env = for_cli(&machine, &manifest, &install, &Invocation::default(), &start_run_params);
        let shown: Vec<String> =
            env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            shown,
            [
                "AGENT_KEY=sk-1",
                "EXTRA_TOKEN=t",
                "LC_ALL=C",
                "NO_COLOR=1",
                "OD_RUN_ID=r",
                "PATH=/opt/agent/bin:/usr/bin",
                "TERM=dumb"
            ]
        );
        let secrets = secret_values(&machine, &manifest, &start_run_params);
        assert!(secrets.contains(&"sk-1".to_owned()) && secrets.contains(&"t".to_owned()));
    }
}
