//! What an agent CLI sees of the environment: the allowlist, what the manifest declares, what the
//! adapter sets, what the run sets. Never the inherited environment. Pure.

use std::collections::BTreeMap;
use std::path::PathBuf;

use od_protocol::environment::{FIXED, RUN_ID_VARIABLE, crosses, is_nesting_marker};
use od_protocol::{Manifest, StartRunParams};

use crate::{Install, Invocation, Machine};

/// The variables of an agent CLI.
pub(crate) fn for_cli(
    machine: &Machine,
    manifest: &Manifest,
    install: &Install,
    invocation: &Invocation,
    start_run_params: &StartRunParams,
) -> BTreeMap<String, String> {
    let declared = |name: &str| {
        manifest.auth.env.iter().any(|declared| declared == name)
            || manifest.requirements.env.iter().any(|declared| declared.name == name)
            || invocation.pass_env.iter().any(|declared| declared == name)
    };
    let mut env: BTreeMap<String, String> = machine
        .env
        .iter()
        .filter(|(name, _)| crosses(name) || (declared(name) && !is_nesting_marker(name)))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (name, value) in FIXED {
        env.insert((*name).to_owned(), (*value).to_owned());
    }
    extend_path(&mut env, &install.path_folders());
    env.extend(invocation.env.clone());
    env.extend(start_run_params.env.clone());
    env.insert(RUN_ID_VARIABLE.to_owned(), start_run_params.run_id.clone());
    env
}

/// The values that must never be shown: whatever the manifest calls a credential or secret, and
/// whatever the run's own variables name so.
pub(crate) fn secret_values(
    machine: &Machine,
    manifest: &Manifest,
    start_run_params: &StartRunParams,
) -> Vec<String> {
    let secret_names = manifest.auth.env.iter().chain(
        manifest.requirements.env.iter().filter(|variable| variable.secret).map(|v| &v.name),
    );
    let inherited = secret_names.filter_map(|name| machine.var(name));
    let given = start_run_params
        .env
        .iter()
        .filter(|(name, _)| manifest.auth.env.contains(name) || sounds_secret(name))
        .map(|(_, value)| value.as_str());
    inherited.chain(given).map(str::to_owned).collect()
}

fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"].iter().any(|word| name.contains(word))
}

/// Puts folders in front of PATH, unless they are on it: what the system has of the same name (an
/// interpreter) may be too old.
pub(crate) fn extend_path(env: &mut BTreeMap<String, String>, folders: &[PathBuf]) {
    let old = env.get("PATH").cloned().unwrap_or_default();
    // An empty entry would mean the working directory.
    let old: Vec<PathBuf> =
        std::env::split_paths(&old).filter(|entry| !entry.as_os_str().is_empty()).collect();
    let missing = folders.iter().filter(|folder| !old.contains(folder));
    if let Ok(path) = std::env::join_paths(missing.chain(&old))
        && let Ok(path) = path.into_string()
    {
        env.insert("PATH".to_owned(), path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_allowed_declared_or_given_crosses() {
        let machine = Machine {
            env: [
                ("PATH", "/usr/bin"),
                ("LC_ALL", "C"),
                ("AGENT_KEY", "sk-1"),
                ("AWS_SECRET_ACCESS_KEY", "canary"),
                ("CLAUDECODE", "1"),
                ("TERM", "xterm"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
            ..Machine::default()
        };
        let mut manifest = crate::testing::manifest("x");
        manifest.auth.env = vec!["AGENT_KEY".to_owned(), "CLAUDECODE".to_owned()];
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

    #[test]
    fn folders_come_first_and_no_path_does_not_mean_the_working_directory() {
        let extended = |old: Option<&str>| {
            let mut env: BTreeMap<String, String> =
                old.map(|old| ("PATH".to_owned(), old.to_owned())).into_iter().collect();
            extend_path(&mut env, &["/own".into(), "/usr/bin".into()]);
            env.remove("PATH")
        };
        assert_eq!(extended(Some("/usr/bin:/bin")).as_deref(), Some("/own:/usr/bin:/bin"));
        assert_eq!(extended(Some("")).as_deref(), Some("/own:/usr/bin"));
        assert_eq!(extended(None).as_deref(), Some("/own:/usr/bin"));
    }
}
