//! The environment of an adapter process: the protocol's list, the variables of its manifest, and those the settings
//! allow. The rest of the host's own environment is not passed on.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use od_protocol::Manifest;
use od_protocol::environment::{FIXED, crosses};

use crate::settings::Settings;

/// Selects the log level of adapters. It is not passed on to the agent CLI.
const LOG_VARIABLE: &str = "OD_LOG";

/// Returns the complete environment of an adapter process. Without a manifest (to read the manifest) only the
/// protocol's own list is passed. `search_path` replaces the inherited PATH.
pub fn adapter_environment(
    settings: &Settings,
    manifest: Option<&Manifest>,
    search_path: Option<&OsStr>,
) -> Vec<(OsString, OsString)> {
    let is_path = |name: &OsStr| name.eq_ignore_ascii_case("PATH");
    let inherited = std::env::vars_os().filter(|(name, _)| search_path.is_none() || !is_path(name));
    let replaced = search_path.map(|path| ("PATH".into(), path.to_owned()));
    choose(inherited.chain(replaced), settings, manifest)
}

fn choose(
    inherited: impl Iterator<Item = (OsString, OsString)>,
    settings: &Settings,
    manifest: Option<&Manifest>,
) -> Vec<(OsString, OsString)> {
    let declared = manifest.map(|manifest| declared_names(settings, manifest)).unwrap_or_default();
    let is_nesting_variable = |name: &str| {
        manifest.is_some_and(|manifest| manifest.requirements.is_nesting_variable(name))
    };
    let is_fixed = |name: &str| FIXED.iter().any(|(fixed, _)| *fixed == name);
    let mut chosen: Vec<_> = inherited
        .filter(|(name, _)| {
            name.to_str().is_some_and(|name| {
                !is_fixed(name)
                    && !is_nesting_variable(name)
                    && !is_denied(settings, name)
                    && (name == LOG_VARIABLE
                        || crosses(name)
                        || declared.iter().any(|declared| declared == name))
            })
        })
        .collect();
    chosen.extend(FIXED.iter().map(|(name, value)| (name.into(), value.into())));
    chosen
}

/// The variables that one adapter gets in addition to the protocol's list.
pub fn declared_names(settings: &Settings, manifest: &Manifest) -> Vec<String> {
    let required = manifest.requirements.env.iter().map(|variable| &variable.name);
    let declared = manifest.auth.env.iter().chain(required);
    declared
        .chain(allowed_names(settings, &manifest.adapter_id))
        .filter(|name| !is_denied(settings, name))
        .cloned()
        .collect()
}

/// Returns the variables that the settings allow for an agent. An adapter passes only the protocol's list and its
/// manifest's variables to the agent CLI, so a run carries these itself.
pub(crate) fn allowed_variables(
    settings: &Settings,
    manifest: &Manifest,
) -> BTreeMap<String, String> {
    allowed_names(settings, &manifest.adapter_id)
        .filter(|name| !is_denied(settings, name))
        .filter(|name| !manifest.requirements.is_nesting_variable(name))
        .filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)))
        .collect()
}

fn allowed_names<'a>(settings: &'a Settings, agent: &str) -> impl Iterator<Item = &'a String> {
    let of_agent = settings.agents.get(agent).map(|agent| &agent.allow_env);
    settings.environment.allow.iter().chain(of_agent.into_iter().flatten())
}

/// `deny` takes precedence over every other list.
fn is_denied(settings: &Settings, name: &str) -> bool {
    settings.environment.deny.iter().any(|denied| denied == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(settings: &Settings, manifest: Option<&Manifest>) -> Vec<String> {
        let inherited = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("XDG_CONFIG_HOME", "/x"),
            ("TERM", "xterm"),
            ("OD_LOG", "debug"),
            ("OD_HOME", "/h"),
            ("ACME_KEY", "k"),
            ("ACME_URL", "u"),
            ("ACME_NESTED", "1"),
            ("SECRET", "s"),
        ];
        let inherited = inherited.into_iter().map(|(name, value)| (name.into(), value.into()));
        let mut names: Vec<String> = choose(inherited, settings, manifest)
            .into_iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        names.sort();
        names
    }

    fn manifest() -> Manifest {
        serde_json::from_value(serde_json::json!({
            "manifestVersion": "1.0", "adapterId": "acme", "displayName": "Acme",
            "version": "1.0.0", "vendor": "acme", "protocol": {"min": 1, "max": 1},
            "capabilities": {}, "cli": {"names": ["acme"], "transport": "stdio"},
            "auth": {"env": ["ACME_KEY", "ACME_NESTED"]},
            "requirements": {"env": [{"name": "ACME_URL"}], "nestingEnv": ["ACME_NESTED"]},
        }))
        .expect("a manifest")
    }

    const BASE: [&str; 6] =
        ["LC_ALL=C", "NO_COLOR=1", "OD_LOG=debug", "PATH=/bin", "TERM=dumb", "XDG_CONFIG_HOME=/x"];

    #[test]
    fn without_manifest_only_listed_variables_pass() {
        assert_eq!(names(&Settings::default(), None), BASE);
    }

    #[test]
    fn declared_variables_pass_except_nesting_markers() {
        let all = names(&Settings::default(), Some(&manifest()));
        assert_eq!(all[..2], ["ACME_KEY=k", "ACME_URL=u"]);
        assert_eq!(all[2..], BASE);
    }

    #[test]
    fn settings_allow_and_deny_variables() {
        let mut settings = Settings::default();
        settings.environment.deny = ["ACME_KEY", "LC_ALL"].map(str::to_owned).to_vec();
        settings.environment.allow = ["SECRET", "ACME_KEY"].map(str::to_owned).to_vec();
        let all = names(&settings, Some(&manifest()));
        assert!(all.contains(&"SECRET=s".to_owned()));
        assert!(!all.iter().any(|name| name.starts_with("ACME_KEY") || name.starts_with("LC_ALL")));
    }

    #[test]
    fn allowed_variables_skip_denied_and_nesting() {
        let mut settings = Settings::default();
        settings.environment.allow = ["PATH", "HOME", "ACME_NESTED"].map(str::to_owned).to_vec();
        settings.environment.deny = vec!["HOME".to_owned()];
        let allowed = allowed_variables(&settings, &manifest());
        assert_eq!(allowed.keys().collect::<Vec<_>>(), ["PATH"]);
    }
}
